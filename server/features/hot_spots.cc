#include "server/features/hot_spots.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "server/features/cost_text.h"
#include "server/features/difference_text.h"
#include "server/features/function_sums.h"
#include "server/features/library_functions.h"
#include "server/features/name_search.h"
#include "server/features/shown_name.h"
#include "server/text/utf8.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_spots = 1'000;

double weight(const FunctionSum& function, ShownMetric metric) {
  switch (metric) {
    case ShownMetric::time:
    case ShownMetric::self:
      return function.time.self;
    case ShownMetric::total:
      return function.time.total();
    case ShownMetric::calls:
    case ShownMetric::executions:
      break;
  }
  return static_cast<double>(function.calls + function.recursive_calls);
}

// Counts have no error.
bool has_significance(const FunctionSum& function, ShownMetric metric,
                      const FunctionCosts& profile) {
  switch (metric) {
    case ShownMetric::time:
    case ShownMetric::self:
      return is_significant(profile, function.time.self, profile.error_of(function.time.self));
    case ShownMetric::total:
      return is_significant(profile, function.time.total(), function.time.error);
    case ShownMetric::calls:
    case ShownMetric::executions:
      break;
  }
  return true;
}

// As of lines: see line_metrics.h.
double heat_of(double weight, ShownMetric metric, const FunctionCosts& profile, double largest) {
  if (is_of_time(metric)) {
    return std::sqrt(std::clamp(share_of(profile, weight), 0.0, 1.0));
  }
  return largest > 0 ? std::log2(weight + 1) / std::log2(largest + 1) : 0;
}

void add_difference(const LoadedProgram& program, SymbolIndex symbol, HotSpot& spot) {
  const ComparedFunction* compared =
      program.comparison ? program.comparison->find_after(symbol) : nullptr;
  if (compared == nullptr) return;
  if (program.comparison->has_times()) {
    spot.difference = difference_data(*compared, compared->self);
    spot.total_difference = difference_data(*compared, compared->total);
  }
  const CallsChange& calls = compared->calls;
  const bool exact = calls.verdict == CallsVerdict::same || calls.verdict == CallsVerdict::more ||
                     calls.verdict == CallsVerdict::fewer;
  if (exact) spot.calls_difference = std::llround(calls.difference());
}

HotSpot spot_of(const FunctionSum& function, FunctionLocations& locations, bool demangle) {
  const Snapshot& snapshot = *locations.program().snapshot;
  const FunctionCosts& profile = snapshot.profile();
  HotSpot spot;
  spot.name = std::string(snapshot.symbols()[function.symbol].name);
  if (demangle) {
    DemangledName name = shown_name(snapshot.sources(), function.symbol);
    if (name.signature != name.name) spot.signature = std::move(name.signature);
    spot.name = std::move(name.name);
  }
  if (const auto& location = locations.of(function.symbol)) {
    spot.uri = location->uri;
    spot.range = location->range;
  }
  if (function.calls > 0) spot.calls = function.calls;
  spot.recursive_calls = function.recursive_calls;
  spot.self_seconds = profile.seconds(function.time.self);
  spot.self_error = profile.seconds(profile.error_of(function.time.self));
  spot.total_seconds = profile.seconds(function.time.total());
  spot.total_error = profile.seconds(function.time.error);
  add_difference(locations.program(), function.symbol, spot);
  return spot;
}

// Overloads have their parameters in their names.
void make_names_distinct(std::vector<HotSpot>& spots) {
  std::unordered_map<std::string, std::size_t> uses;
  for (const HotSpot& spot : spots) ++uses[spot.name];
  for (HotSpot& spot : spots) {
    if (uses[spot.name] > 1 && spot.signature) {
      spot.name = *std::exchange(spot.signature, std::nullopt);
    }
  }
}

ComparisonMetric compared_by(ShownMetric metric) {
  switch (metric) {
    case ShownMetric::time:
    case ShownMetric::self:
      return ComparisonMetric::self;
    case ShownMetric::total:
      return ComparisonMetric::total;
    case ShownMetric::calls:
    case ShownMetric::executions:
      break;
  }
  return ComparisonMetric::calls;
}

struct RankedFunction {
  FunctionSum sum;
  // A function of a library, or its code of no known function, in place of the sum's symbol.
  std::optional<ExternalCode> library = {};
  double weight = 0;
  bool significant = true;
};

bool is_derived(const LoadedProgram& program) { return program.view && program.view->derived; }

RankedFunction weighed(const LoadedProgram& program, FunctionSum function, ShownMetric metric) {
  RankedFunction ranked;
  if (is_derived(program)) {
    if (const auto figures = program.view->derived->figures_of(function.symbols())) {
      ranked.weight = figures->self.value;
      ranked.significant = figures->self.value > figures->self.error;
    }
  } else {
    ranked.weight = weight(function, metric);
    ranked.significant = has_significance(function, metric, program.snapshot->profile());
  }
  ranked.sum = std::move(function);
  return ranked;
}

// Their calls are not counted.
void add_libraries(const Snapshot& snapshot, ShownMetric metric,
                   std::vector<RankedFunction>& functions) {
  const FunctionCosts& profile = snapshot.profile();
  for (const ModuleSamples& module : profile.elsewhere()) {
    if (module.collector || module.name.empty()) continue;
    RankedFunction ranked;
    ranked.library = ExternalCode{module.name, module.function};
    ranked.sum.time.self = module.ticks;
    const auto number = snapshot.stacks().find(*ranked.library);
    const Ticks total = number ? snapshot.measured().external_total(*number) : 0;
    ranked.sum.time.children = std::max(0.0, total - module.ticks);
    ranked.sum.time.error = profile.error_in_all_code(ranked.sum.time.total());
    ranked.weight = weight(ranked.sum, metric);
    ranked.significant = has_significance(ranked.sum, metric, profile);
    if (ranked.weight > 0) functions.push_back(std::move(ranked));
  }
}

// Rank 0 is none; the program's own are first.
std::uint32_t rank_of(const Snapshot& snapshot, const RankedFunction& function) {
  return (function.library ? 0 : snapshot.source_index().rank(function.sum.symbol)) - 1;
}

// Those with any weight, the heaviest first.
std::vector<RankedFunction> ranked_functions(const LoadedProgram& program, ShownMetric metric) {
  const Snapshot& snapshot = *program.snapshot;
  std::vector<RankedFunction> functions;
  for (FunctionSum& sum : function_sums(snapshot)) {
    RankedFunction function = weighed(program, std::move(sum), metric);
    if (function.weight > 0) functions.push_back(std::move(function));
  }
  if (is_of_time(metric) && !is_derived(program)) add_libraries(snapshot, metric, functions);
  std::stable_sort(functions.begin(), functions.end(),
                   [&](const RankedFunction& a, const RankedFunction& b) {
                     if (a.significant != b.significant) return a.significant;
                     if (a.weight != b.weight) return a.weight > b.weight;
                     return rank_of(snapshot, a) < rank_of(snapshot, b);
                   });
  return functions;
}

void order_by_regression(const LoadedProgram& program, ShownMetric metric,
                         std::vector<RankedFunction>& functions) {
  if (!program.comparison) return;
  const Comparison& comparison = *program.comparison;
  std::unordered_map<SymbolIndex, std::size_t> ranks;
  for (const std::size_t index : comparison.ranked(compared_by(metric))) {
    ranks.emplace(comparison.functions()[index].after, ranks.size());
  }
  const auto change_of = [&](const RankedFunction& function) {
    const auto found = function.library ? ranks.end() : ranks.find(function.sum.symbol);
    return found == ranks.end() ? comparison.functions().size() : found->second;
  };
  std::stable_sort(functions.begin(), functions.end(),
                   [&](const RankedFunction& a, const RankedFunction& b) {
                     return change_of(a) < change_of(b);
                   });
}

class MadeSpots {
 public:
  MadeSpots(FunctionLocations& locations, bool demangle)
      : locations_(locations), demangle_(demangle), snapshot_(*locations.program().snapshot) {}

  [[nodiscard]] std::string name_of(const RankedFunction& function) const {
    if (function.library) return shown_name(*function.library, demangle_);
    const SymbolIndex symbol = function.sum.symbol;
    return demangle_ ? shown_name(snapshot_.sources(), symbol).name
                     : std::string(snapshot_.symbols()[symbol].name);
  }
  [[nodiscard]] HotSpot of_program(const RankedFunction& function) {
    return spot_of(function.sum, locations_, demangle_);
  }
  [[nodiscard]] HotSpot of_library(const RankedFunction& function);

 private:
  FunctionLocations& locations_;
  const bool demangle_;
  const Snapshot& snapshot_;
  std::optional<LibraryCallers> callers_;  // made on first use
};

HotSpot MadeSpots::of_library(const RankedFunction& function) {
  const FunctionCosts& profile = snapshot_.profile();
  HotSpot spot;
  spot.name = name_of(function);
  spot.module = well_formed(function.library->module);
  spot.self_seconds = profile.seconds(function.sum.time.self);
  spot.self_error = profile.seconds(profile.error_in_all_code(function.sum.time.self));
  spot.total_seconds = profile.seconds(function.sum.time.total());
  spot.total_error = profile.seconds(function.sum.time.error);
  if (!callers_) callers_.emplace(snapshot_);
  // Callers without a source are passed over.
  for (const ExternalCallSite& site : callers_->of(*function.library).sites) {
    spot.call_site = place_of_call(site, *function.library, locations_);
    if (spot.call_site) break;
  }
  return spot;
}

}  // namespace

std::vector<HotSpot> hot_spots(const HotSpotsQuery& query, FunctionLocations& locations,
                               bool demangle) {
  const LoadedProgram& program = locations.program();
  const Snapshot& snapshot = *program.snapshot;
  std::vector<RankedFunction> functions = ranked_functions(program, query.metric);
  const double largest = functions.empty() ? 0 : functions.front().weight;
  if (query.by_regression) order_by_regression(program, query.metric, functions);
  const std::size_t limit = std::min(query.limit, most_spots);
  MadeSpots made(locations, demangle);
  std::vector<HotSpot> spots;
  for (std::size_t i = 0; i < functions.size() && spots.size() < limit; ++i) {
    const RankedFunction& function = functions[i];
    if (!query.letters.empty() && !holds_letters(made.name_of(function), query.letters)) continue;
    HotSpot spot = function.library ? made.of_library(function) : made.of_program(function);
    spot.heat = is_derived(program)
                    ? std::sqrt(function.weight / largest)
                    : heat_of(function.weight, query.metric, snapshot.profile(), largest);
    spot.significant = function.significant;
    spot.rank = static_cast<std::uint32_t>(i + 1);
    if (query.values != nullptr && !function.library) {
      spot.values = query.values->values_of(function.sum.symbols());
    }
    spots.push_back(std::move(spot));
  }
  make_names_distinct(spots);
  return spots;
}

}  // namespace gprof::lsp
