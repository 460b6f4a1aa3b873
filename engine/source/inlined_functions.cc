#include "engine/source/inlined_functions.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace gprof {
namespace {

struct SampledUnit {
  UnitIndex unit = 0;
  Ticks ticks = 0;  // of all stacks, once for each of its frames
  std::vector<Address> places;
};

// Each place in the program's functions, with the time of its stacks.
std::map<Address, Ticks> sampled_places(const StackSamples& stacks) {
  std::map<Address, Ticks> places;
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    const SampledStack stack = stacks[i];
    if (!(stack.count > 0)) continue;
    for (const StackFrame& frame : stack.frames) {
      if (frame.symbol != no_symbol) places[frame.place] += stack.count;
    }
  }
  return places;
}

// Those with the most time first.
std::vector<SampledUnit> sampled_units(const StackSamples& stacks, const ProgramSources& sources) {
  std::map<UnitIndex, SampledUnit> by_index;
  for (const auto& [place, ticks] : sampled_places(stacks)) {
    const auto index = sources.unit_index_at(place);
    if (!index) continue;
    SampledUnit& unit = by_index[*index];
    unit.unit = *index;
    unit.ticks += ticks;
    unit.places.push_back(place);
  }
  std::vector<SampledUnit> units;
  units.reserve(by_index.size());
  for (auto& [index, unit] : by_index) units.push_back(std::move(unit));
  std::stable_sort(units.begin(), units.end(),
                   [](const SampledUnit& a, const SampledUnit& b) { return a.ticks > b.ticks; });
  return units;
}

class InlinedFunctionsCollector {
 public:
  void add(const SampledUnit& sampled, const UnitLines& unit);
  [[nodiscard]] InlinedFunctions take() { return std::move(found_); }

 private:
  [[nodiscard]] std::uint32_t number_of(const Subprogram& function);

  InlinedFunctions found_;
  std::map<std::tuple<std::string, FileId, LineNumber>, std::uint32_t> numbers_;
  std::vector<std::uint32_t> chain_;
};

void InlinedFunctionsCollector::add(const SampledUnit& sampled, const UnitLines& unit) {
  const UnitFunctions& functions = unit.functions();
  for (const Address place : sampled.places) {
    chain_.clear();
    for (auto call = unit.inlined_call_at(place); call;
         call = functions.inlined_calls[*call].parent) {
      chain_.push_back(number_of(functions.subprograms[functions.inlined_calls[*call].callee]));
    }
    if (chain_.empty()) continue;
    std::reverse(chain_.begin(), chain_.end());
    found_.chains.add(place, chain_);
  }
}

std::uint32_t InlinedFunctionsCollector::number_of(const Subprogram& function) {
  const auto next = static_cast<std::uint32_t>(found_.functions.size());
  const Declaration& declared = function.declaration;
  const auto [known, is_new] =
      numbers_.try_emplace({function.name, declared.file, declared.line}, next);
  if (is_new) found_.functions.push_back({function.name, declared});
  return known->second;
}

}  // namespace

InlinedFunctions inlined_functions(const StackSamples& stacks, const ProgramSources& sources,
                                   std::size_t most_units) {
  const std::vector<SampledUnit> units = sampled_units(stacks, sources);
  InlinedFunctionsCollector collector;
  for (std::size_t i = 0; i < std::min(units.size(), most_units); ++i) {
    collector.add(units[i], *sources.unit(units[i].unit));
  }
  return collector.take();
}

}  // namespace gprof
