#include "server/features/hot_spots.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "server/features/cost_text.h"
#include "server/features/difference_text.h"
#include "server/features/function_sums.h"
#include "server/features/name_search.h"

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
double heat_of(const FunctionSum& function, ShownMetric metric, const FunctionCosts& profile,
               double largest) {
  if (is_of_time(metric)) {
    return std::sqrt(std::clamp(share_of(profile, weight(function, metric)), 0.0, 1.0));
  }
  return largest > 0 ? std::log2(weight(function, metric) + 1) / std::log2(largest + 1) : 0;
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
    DemangledName name = snapshot.sources().name(function.symbol);
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

// Those with any weight, the heaviest first.
std::vector<RankedFunction> ranked_functions(const LoadedProgram& program, ShownMetric metric) {
  const Snapshot& snapshot = *program.snapshot;
  std::vector<RankedFunction> functions;
  for (FunctionSum& sum : function_sums(snapshot)) {
    RankedFunction function = weighed(program, std::move(sum), metric);
    if (function.weight > 0) functions.push_back(std::move(function));
  }
  std::stable_sort(functions.begin(), functions.end(),
                   [&](const RankedFunction& a, const RankedFunction& b) {
                     if (a.significant != b.significant) return a.significant;
                     if (a.weight != b.weight) return a.weight > b.weight;
                     // Rank 0 is none.
                     return snapshot.source_index().rank(a.sum.symbol) - 1 <
                            snapshot.source_index().rank(b.sum.symbol) - 1;
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
  const auto rank_of = [&](const RankedFunction& function) {
    const auto found = ranks.find(function.sum.symbol);
    return found == ranks.end() ? comparison.functions().size() : found->second;
  };
  std::stable_sort(
      functions.begin(), functions.end(),
      [&](const RankedFunction& a, const RankedFunction& b) { return rank_of(a) < rank_of(b); });
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
  std::vector<HotSpot> spots;
  for (std::size_t i = 0; i < functions.size() && spots.size() < limit; ++i) {
    const FunctionSum& function = functions[i].sum;
    const auto linkage_name = snapshot.symbols()[function.symbol].name;
    if (!query.letters.empty() &&
        !holds_letters(
            demangle ? snapshot.sources().name(function.symbol).name : std::string(linkage_name),
            query.letters)) {
      continue;
    }
    HotSpot spot = spot_of(function, locations, demangle);
    spot.heat = is_derived(program) ? std::sqrt(functions[i].weight / largest)
                                    : heat_of(function, query.metric, snapshot.profile(), largest);
    spot.significant = functions[i].significant;
    spot.rank = static_cast<std::uint32_t>(i + 1);
    if (query.values != nullptr) spot.values = query.values->values_of(function.symbols());
    spots.push_back(std::move(spot));
  }
  return spots;
}

}  // namespace gprof::lsp
