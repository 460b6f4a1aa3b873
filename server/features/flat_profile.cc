#include "server/features/flat_profile.h"

#include <algorithm>
#include <span>

#include "server/features/cost_text.h"
#include "server/features/difference_text.h"
#include "server/features/other_samples.h"
#include "server/features/shown_name.h"

namespace gprof::lsp {
namespace {

constexpr std::size_t most_rows = 10'000;

std::vector<SymbolIndex> rows_in_order(const Snapshot& snapshot) {
  const auto symbols = snapshot.symbols().symbols();
  std::vector<SymbolIndex> order;
  for (SymbolIndex symbol = 0; symbol < symbols.size(); ++symbol) {
    const GraphNode& node = snapshot.graph().node(symbol);
    if (node.calls != 0 || node.self != 0) order.push_back(symbol);
  }
  std::stable_sort(order.begin(), order.end(), [&](SymbolIndex a, SymbolIndex b) {
    const GraphNode& node_a = snapshot.graph().node(a);
    const GraphNode& node_b = snapshot.graph().node(b);
    if (node_a.self != node_b.self) return node_a.self > node_b.self;
    if (node_a.calls != node_b.calls) return node_a.calls > node_b.calls;
    return symbols[a].name < symbols[b].name;
  });
  return order;
}

FlatProfileRow row_of(SymbolIndex symbol, FunctionLocations& locations, bool demangle) {
  const Snapshot& snapshot = *locations.program().snapshot;
  const FunctionCosts& profile = snapshot.profile();
  const GraphNode& node = snapshot.graph().node(symbol);
  FlatProfileRow row;
  row.linkage_name = std::string(snapshot.symbols()[symbol].name);
  row.name = demangle ? shown_name(snapshot.sources(), symbol).signature : row.linkage_name;
  row.percent = 100 * share_of(profile, node.self);
  row.self_seconds = profile.seconds(node.self);
  row.self_error = profile.seconds(profile.error_of(node.self));
  const FunctionTime time = snapshot.times().of(std::span(&symbol, 1));
  row.total_seconds = profile.seconds(time.total());
  row.total_error = profile.seconds(time.error);
  if (node.calls > 0) {
    const auto calls = static_cast<double>(node.calls);
    row.calls = node.calls;
    row.self_per_call = profile.seconds(node.self) / calls;
    row.total_per_call = profile.seconds(node.total()) / calls;
  }
  const auto& comparison = locations.program().comparison;
  const ComparedFunction* compared = comparison ? comparison->find_after(symbol) : nullptr;
  if (compared != nullptr && comparison->has_times()) {
    row.difference = difference_data(*compared, compared->self);
  }
  if (const auto& location = locations.of(symbol)) {
    row.uri = location->uri;
    row.line = location->range.start.line;
  }
  return row;
}

}  // namespace

FlatProfileResult flat_profile(FunctionLocations& locations, std::size_t offset, std::size_t limit,
                               bool demangle, const MetricColumns* values) {
  const Snapshot& snapshot = *locations.program().snapshot;
  const std::vector<SymbolIndex> order = rows_in_order(snapshot);
  FlatProfileResult result;
  result.unit = snapshot.profile().dimension();
  result.basis = basis_of(snapshot);
  result.total = order.size();
  const FunctionCosts& profile = snapshot.profile();
  result.program_seconds = profile.seconds(profile.program_ticks());
  result.sampled_seconds = profile.seconds(profile.sampled_ticks());
  result.scale = sample_scale(profile);
  result.others = other_samples(snapshot, demangle, locations.program().comparison.get());
  limit = std::min(limit, most_rows);
  Ticks cumulative = 0;
  for (std::size_t i = 0; i < order.size() && result.rows.size() < limit; ++i) {
    cumulative += snapshot.graph().node(order[i]).self;
    if (i < offset) continue;
    FlatProfileRow row = row_of(order[i], locations, demangle);
    row.cumulative_seconds = snapshot.profile().seconds(cumulative);
    if (values != nullptr) row.values = values->values_of(std::span(&order[i], 1));
    result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace gprof::lsp
