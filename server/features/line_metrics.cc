#include "server/features/line_metrics.h"

#include <algorithm>
#include <cmath>

#include "server/features/cost_text.h"

namespace gprof::lsp {
namespace {

double heat_of_share(double share) { return std::sqrt(std::clamp(share, 0.0, 1.0)); }

double heat_of_count(std::uint64_t count, std::uint64_t largest) {
  if (count == 0 || largest == 0) return 0;
  const double heat =
      std::log2(static_cast<double>(count) + 1) / std::log2(static_cast<double>(largest) + 1);
  return std::min(heat, 1.0);
}

bool contains(const std::vector<SymbolIndex>& sorted, SymbolIndex symbol) {
  return std::binary_search(sorted.begin(), sorted.end(), symbol);
}

}  // namespace

std::uint32_t heat_level(double heat, ShownMetric metric) {
  // The heat of a time is the square root of its share: 0.5, 3, 10, 25 and 50 percent. That of a
  // count is a logarithm: most lines that run at all are close to its top.
  static constexpr std::array<double, 5> of_times = {0.07, 0.173, 0.316, 0.5, 0.707};
  static constexpr std::array<double, 5> of_counts = {0.35, 0.55, 0.7, 0.82, 0.93};
  const auto& steps = is_of_time(metric) ? of_times : of_counts;
  return static_cast<std::uint32_t>(std::upper_bound(steps.begin(), steps.end(), heat) -
                                    steps.begin());
}

LineMeter::LineMeter(const FileView& view) : view_(view), has_times_(has_times(view.profile())) {}

LineMetrics LineMeter::figures(const LineCost& cost) {
  const FunctionCosts& profile = view_.profile();
  LineMetrics metrics;
  metrics.line = cost.line;
  metrics.executions = cost.executions;
  Ticks total = 0;
  if (has_times_) {
    total = self_ticks(cost);
    metrics.self_seconds = profile.seconds(total);
    metrics.self_error = profile.seconds(profile.error_of(total));
    metrics.self_share = share_of(profile, total);
  }
  const bool with_totals = has_times_ && !view_.costs->without_totals;
  for (const LineCall& call : cost.calls) {
    LineCallee callee{call.callee, call.count, call.approximate(), {}, call.measured.has_value()};
    if (with_totals) {
      const Ticks ticks = ticks_of(cost.line, call);
      callee.seconds = profile.seconds(ticks);
      total += ticks;
    }
    if (call.count > 0) metrics.calls = metrics.calls.value_or(0) + call.count;
    metrics.approximate = metrics.approximate || callee.approximate;
    metrics.callees.push_back(callee);
  }
  if (const auto measured = measured_total(cost)) {
    metrics.total_measured = true;
    total = *measured;
  }
  if (total > 0 && !view_.costs->without_totals) {
    metrics.total_seconds = profile.seconds(total);
    // What stacks measured includes samples in libraries.
    metrics.total_error = profile.seconds(metrics.total_measured ? profile.error_in_all_code(total)
                                                                 : profile.error_of(total));
    metrics.total_share = share_of(profile, total);
  }
  return metrics;
}

LineMetrics LineMeter::measure(const LineCost& cost) {
  LineMetrics metrics = figures(cost);
  if (!largest_) largest_ = largest_counts();
  auto heat = [&](ShownMetric metric) -> double& {
    return metrics.heats[static_cast<std::size_t>(metric)];
  };
  heat(ShownMetric::calls) = heat_of_count(metrics.calls.value_or(0), largest_->calls);
  heat(ShownMetric::executions) = heat_of_count(cost.executions.value_or(0), largest_->executions);
  heat(ShownMetric::time) =
      heat_of_share(metrics.total_measured ? metrics.total_share : metrics.self_share);
  heat(ShownMetric::self) = heat_of_share(metrics.self_share);
  heat(ShownMetric::total) = heat_of_share(metrics.total_share);
  return metrics;
}

Ticks LineMeter::total_ticks(const LineCost& cost) {
  if (!has_times_) return 0;
  if (const auto measured = measured_total(cost)) return *measured;
  Ticks total = self_ticks(cost);
  for (const LineCall& call : cost.calls) total += ticks_of(cost.line, call);
  return total;
}

std::optional<Ticks> LineMeter::measured_total(const LineCost& cost) const {
  if (!has_times_) return std::nullopt;
  return view_.inlined_at_calls ? cost.measured_total_at_calls() : cost.measured_total;
}

// Calls made by several lines together are divided evenly, as their split is not known.
Ticks LineMeter::ticks_of(LineNumber line, const LineCall& call) {
  if (call.measured) return *call.measured;
  const FunctionCost* caller = view_.costs->function_at(line);
  const auto lines = static_cast<double>(std::max<std::size_t>(call.candidate_lines.size(), 1));
  return static_cast<double>(call.count) / lines * ticks_per_call(caller, call.callee);
}

// By the call graph's arcs from the function around the line, so that the lines of a function add
// up to its children time.
double LineMeter::ticks_per_call(const FunctionCost* caller, SymbolIndex callee) {
  // A recursive call does not propagate the function's own time to it again.
  if (caller != nullptr && contains(caller->symbols, callee)) return 0;
  if (caller != nullptr) {
    const CallPrices& prices = prices_of(*caller);
    const auto price = prices.find(callee);
    if (price != prices.end()) return price->second;
  }
  const auto [usual, is_new] = usual_prices_.try_emplace(callee, 0);
  if (is_new) usual->second = usual_ticks_per_call(callee);
  return usual->second;
}

const LineMeter::CallPrices& LineMeter::prices_of(const FunctionCost& caller) {
  const auto [entry, is_new] = prices_.try_emplace(&caller);
  if (!is_new) return entry->second;
  std::map<SymbolIndex, std::uint64_t> counts;
  CallPrices& prices = entry->second;
  const CallGraph& graph = view_.snapshot().graph();
  for (const SymbolIndex symbol : caller.symbols) {
    for (const ArcIndex index : graph.callees(symbol)) {
      const GraphArc& arc = graph.arc(index);
      if (arc.count == 0) continue;
      counts[arc.callee] += arc.count;
      prices[arc.callee] += arc.self_share + arc.children_share;
    }
  }
  for (const auto& [callee, count] : counts) prices[callee] /= static_cast<double>(count);
  return prices;
}

// For inlined code: its arcs are those of the surrounding functions.
double LineMeter::usual_ticks_per_call(SymbolIndex callee) const {
  std::uint64_t count = 0;
  Ticks ticks = 0;
  const CallGraph& graph = view_.snapshot().graph();
  for (const ArcIndex index : graph.callers(callee)) {
    const GraphArc& arc = graph.arc(index);
    if (arc.caller == callee) continue;
    count += arc.count;
    ticks += arc.self_share + arc.children_share;
  }
  return count > 0 ? ticks / static_cast<double>(count) : 0;
}

LineMeter::LargestCounts LineMeter::largest_counts() const {
  LargestCounts largest;
  for (const SiteArc& site : view_.profile().site_arcs()) {
    largest.calls = std::max(largest.calls, site.count);
  }
  for (const BlockCount& block : view_.profile().blocks()) {
    largest.executions = std::max(largest.executions, block.count);
  }
  return largest;
}

}  // namespace gprof::lsp
