#include "engine/source/library_calls.h"

#include <algorithm>
#include <set>
#include <vector>

namespace gprof {
namespace {

// A function that reaches more is taken to reach a library.
constexpr std::size_t most_reached = 64;

}  // namespace

Ticks library_time(const FunctionCosts& profile) {
  Ticks ticks = 0;
  for (const ModuleSamples& module : profile.elsewhere()) {
    if (!module.collector) ticks += module.ticks;
  }
  return ticks;
}

bool LibraryCalls::are_reached_by(std::span<const SymbolIndex> function) {
  std::set<SymbolIndex> reached(function.begin(), function.end());
  std::vector<SymbolIndex> next(function.begin(), function.end());
  while (!next.empty()) {
    const SymbolIndex symbol = next.back();
    next.pop_back();
    if (may_call_a_library(symbol)) return true;
    for (const ArcIndex index : graph_.callees(symbol)) {
      const SymbolIndex callee = graph_.arc(index).callee;
      if (reached.insert(callee).second) next.push_back(callee);
    }
    if (reached.size() > most_reached) return true;
  }
  return false;
}

// By the name of an import; a function by address may be a library's.
bool LibraryCalls::may_call_a_library(SymbolIndex symbol) {
  const auto [known, is_new] = known_.try_emplace(symbol, true);
  if (!is_new || !code_.knows_architecture()) return known->second;
  const Symbol& function = symbols_[symbol];
  const auto calls = code_.calls_in({function.address, function.end});
  known->second = std::ranges::any_of(calls, [](const CallInstruction& call) {
    return call.import_name.empty() ? !call.target : !is_counting_function(call.import_name);
  });
  return known->second;
}

}  // namespace gprof
