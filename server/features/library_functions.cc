#include "server/features/library_functions.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "engine/callgraph/external_callees.h"
#include "engine/object/demangle.h"
#include "server/features/cost_text.h"
#include "server/features/external_names.h"
#include "server/features/own_location.h"
#include "server/features/shown_name.h"
#include "server/text/source_names.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_library_sites = 10'000;

std::string last_name_of(const ExternalCode& code) {
  return std::string(last_component(demangle(code.function).name));
}

struct TimedSite {
  CallSite site;
  Ticks ticks = 0;
};

std::string name_of_caller(const Snapshot& snapshot, SymbolIndex symbol, bool demangle) {
  const Symbol& code = snapshot.symbols()[symbol];
  return demangle ? shown_name(snapshot.sources(), code.clone_of).name : std::string(code.name);
}

// One entry per caller, line and way; several calls on a line are one entry.
std::vector<TimedSite> sites_of(const ExternalCallers& callers, const ExternalCode& function,
                                FunctionLocations& locations, bool demangle) {
  const Snapshot& snapshot = *locations.program().snapshot;
  std::map<std::tuple<std::string, std::string, std::string>, TimedSite> found;
  for (const ExternalCallSite& call : callers.sites) {
    const auto place = place_of_call(call, function, locations);
    const bool is_direct = call.through == ExternalCode();
    std::string through = is_direct ? "" : as_written(external_code_name(call.through, demangle));
    std::string name = name_of_caller(snapshot, call.caller, demangle);
    const std::string line = place ? link_to(*place) : "";
    const auto [slot, is_new] = found.try_emplace({name, line, through});
    slot->second.ticks += call.ticks;
    if (!is_new) continue;
    CallSite& site = slot->second.site;
    site.name = std::move(name);
    site.place = place;
    site.definition = locations.of(call.caller);
    site.through = std::move(through);
  }
  std::vector<TimedSite> sites;
  sites.reserve(found.size());
  for (auto& [key, site] : found) sites.push_back(std::move(site));
  std::ranges::stable_sort(sites, std::ranges::greater(), &TimedSite::ticks);
  return sites;
}

// Whether the line calls a function of the program by that name.
bool calls_own(const FileView& view, const LineCost& cost, std::string_view word) {
  return std::ranges::any_of(cost.calls, [&](const LineCall& call) {
    return call.callee != no_symbol &&
           last_component(view.sources().name(call.callee).name) == word;
  });
}

}  // namespace

std::optional<ExternalCode> library_function_named(const Snapshot& snapshot,
                                                   std::string_view name) {
  // All names of libraries' code end with the library.
  if (!name.ends_with(']')) return std::nullopt;
  const auto is_named = [&](const ExternalCode& code) {
    return name == shown_name(code, false) || name == shown_name(code, true) ||
           name == external_name_with_module(code, true);
  };
  const StackSamples& stacks = snapshot.stacks();
  for (std::uint32_t number = 1; number < stacks.external_code_count(); ++number) {
    if (is_named(stacks.external_code(number))) return stacks.external_code(number);
  }
  // Samples without stacks.
  for (const ModuleSamples& module : snapshot.profile().elsewhere()) {
    ExternalCode code{module.name, module.function};
    if (!module.collector && is_named(code)) return code;
  }
  return std::nullopt;
}

std::optional<ExternalCode> library_function_at(const FileView& view, Position position) {
  const LineNumber text_line = position.line + 1;
  if (text_line > view.text->line_count() || !view.is_current(text_line)) return std::nullopt;
  const auto line = view.build_line(text_line);
  const LineCost* cost = line ? view.costs->line(*line) : nullptr;
  if (cost == nullptr || cost->external_calls.empty()) return std::nullopt;
  const std::size_t column =
      view.text->offset_of(position) - view.text->lines().start(position.line);
  const std::string_view word = word_at(view.text->line(text_line), column);
  if (word.empty() || calls_own(view, *cost, word)) return std::nullopt;
  const Snapshot& snapshot = view.snapshot();
  for (ExternalCallee& callee : external_callees(snapshot.symbols(), snapshot.code(),
                                                 snapshot.stacks(), cost->external_calls)) {
    if (!callee.code.function.empty() && last_name_of(callee.code) == word) {
      return std::move(callee.code);
    }
  }
  return std::nullopt;
}

LibraryCallers::LibraryCallers(const Snapshot& snapshot) {
  const SymbolTable& symbols = snapshot.symbols();
  const MeasuredTimes& measured = snapshot.measured();
  if (measured.has_stacks()) {
    of_stacks_.emplace(symbols, snapshot.code(), snapshot.stacks());
  } else if (const CountedTimes* counted = measured.counted()) {
    counted_.emplace(symbols, snapshot.code(), snapshot.stacks(), *counted);
  }
}

ExternalCallers LibraryCallers::of(const ExternalCode& function) {
  if (of_stacks_) return of_stacks_->callers_of(function);
  return counted_ ? counted_->callers_of(function) : ExternalCallers();
}

std::optional<Location> place_of_call(const ExternalCallSite& site, const ExternalCode& function,
                                      FunctionLocations& locations) {
  const auto line = own_location(locations.program().snapshot->sources(), site.call);
  if (!line) return std::nullopt;
  const bool is_direct = site.through == ExternalCode();
  return locations.call(*line, last_name_of(is_direct ? function : site.through));
}

CallSitesResult library_call_sites(const ExternalCode& function, FunctionLocations& locations,
                                   bool demangle) {
  const Snapshot& snapshot = *locations.program().snapshot;
  const FunctionCosts& profile = snapshot.profile();
  CallSitesResult result;
  result.name = shown_name(function, demangle);
  result.basis = basis_of(snapshot);
  const ExternalCallers callers = LibraryCallers(snapshot).of(function);
  std::vector<TimedSite> sites = sites_of(callers, function, locations, demangle);
  result.truncated = sites.size() > most_library_sites;
  sites.resize(std::min(sites.size(), most_library_sites));
  for (TimedSite& timed : sites) {
    timed.site.seconds = profile.seconds(timed.ticks);
    timed.site.error = profile.seconds(profile.error_in_all_code(timed.ticks));
    result.sites.push_back(std::move(timed.site));
  }
  if (callers.total > 0) result.seconds = profile.seconds(callers.total);
  return result;
}

}  // namespace gprof::lsp
