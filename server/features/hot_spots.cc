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

double weight(const FunctionSum& function, Metric metric) {
  switch (metric) {
    case Metric::time:
    case Metric::self:
      return function.time.self;
    case Metric::total:
      return function.time.total();
    case Metric::calls:
    case Metric::executions:
      break;
  }
  return static_cast<double>(function.calls + function.recursive_calls);
}

// Counts have no error.
bool has_significance(const FunctionSum& function, Metric metric, const Profile& profile) {
  switch (metric) {
    case Metric::time:
    case Metric::self:
      return is_significant(profile, function.time.self, profile.error_of(function.time.self));
    case Metric::total:
      return is_significant(profile, function.time.total(), function.time.error);
    case Metric::calls:
    case Metric::executions:
      break;
  }
  return true;
}

// As of lines: see line_metrics.h.
double heat_of(const FunctionSum& function, Metric metric, const Profile& profile, double largest) {
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
  const Profile& profile = snapshot.profile();
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

ComparisonMetric compared_by(Metric metric) {
  switch (metric) {
    case Metric::time:
    case Metric::self:
      return ComparisonMetric::self;
    case Metric::total:
      return ComparisonMetric::total;
    case Metric::calls:
    case Metric::executions:
      break;
  }
  return ComparisonMetric::calls;
}

void order_by_regression(const LoadedProgram& program, Metric metric,
                         std::vector<FunctionSum>& functions) {
  if (!program.comparison) return;
  const Comparison& comparison = *program.comparison;
  std::unordered_map<SymbolIndex, std::size_t> ranks;
  for (const std::size_t index : comparison.ranked(compared_by(metric))) {
    ranks.emplace(comparison.functions()[index].after, ranks.size());
  }
  const auto rank_of = [&](const FunctionSum& function) {
    const auto found = ranks.find(function.symbol);
    return found == ranks.end() ? comparison.functions().size() : found->second;
  };
  std::stable_sort(
      functions.begin(), functions.end(),
      [&](const FunctionSum& a, const FunctionSum& b) { return rank_of(a) < rank_of(b); });
}

}  // namespace

std::vector<HotSpot> hot_spots(const HotSpotsQuery& query, FunctionLocations& locations,
                               bool demangle) {
  const Snapshot& snapshot = *locations.program().snapshot;
  std::vector<FunctionSum> functions = function_sums(snapshot);
  std::erase_if(functions, [&](const FunctionSum& f) { return !(weight(f, query.metric) > 0); });
  const auto significant = [&](const FunctionSum& function) {
    return has_significance(function, query.metric, snapshot.profile());
  };
  std::stable_sort(functions.begin(), functions.end(),
                   [&](const FunctionSum& a, const FunctionSum& b) {
                     if (significant(a) != significant(b)) return significant(a);
                     const double weight_a = weight(a, query.metric);
                     const double weight_b = weight(b, query.metric);
                     if (weight_a != weight_b) return weight_a > weight_b;
                     // Rank 0 is none.
                     return snapshot.source_index().rank(a.symbol) - 1 <
                            snapshot.source_index().rank(b.symbol) - 1;
                   });
  const double largest = functions.empty() ? 0 : weight(functions.front(), query.metric);
  if (query.by_regression) order_by_regression(locations.program(), query.metric, functions);
  const std::size_t limit = std::min(query.limit, most_spots);
  std::vector<HotSpot> spots;
  for (std::size_t i = 0; i < functions.size() && spots.size() < limit; ++i) {
    const FunctionSum& function = functions[i];
    const auto linkage_name = snapshot.symbols()[function.symbol].name;
    if (!query.letters.empty() &&
        !holds_letters(
            demangle ? snapshot.sources().name(function.symbol).name : std::string(linkage_name),
            query.letters)) {
      continue;
    }
    HotSpot spot = spot_of(function, locations, demangle);
    spot.heat = heat_of(function, query.metric, snapshot.profile(), largest);
    spot.significant = significant(function);
    spot.rank = static_cast<std::uint32_t>(i + 1);
    spots.push_back(std::move(spot));
  }
  return spots;
}

}  // namespace gprof::lsp
