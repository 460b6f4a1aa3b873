#include "engine/callgraph/function_times.h"

#include <algorithm>
#include <cmath>

namespace gprof {
namespace {

constexpr Ticks not_known = -1;

// The callee's time that an arc's share is a part of.
Ticks total_of_callee(const CallGraph& graph, const GraphArc& arc) {
  const GraphNode& callee = graph.node(arc.callee);
  if (callee.cycle == 0) return callee.total();
  const Cycle& cycle = graph.cycle(callee.cycle);
  return cycle.self + cycle.children;
}

}  // namespace

FunctionTime FunctionTimes::of(std::span<const SymbolIndex> function) const {
  FunctionTime time;
  Ticks errors = 0;
  for (const SymbolIndex symbol : function) {
    const GraphNode& node = graph_.node(symbol);
    time.self += node.self;
    time.children += node.children;
  }
  if (measured_.known()) {
    time.measured = true;
    time.children = std::max(0.0, measured_.total(function) - time.self);
    time.error = error_of(time.total());
    if (may_be_left_out(function)) time.error += measured_.unseen(function);
    return time;
  }
  for (const SymbolIndex symbol : function) {
    errors += error_of_total(symbol);
    if (function.size() < 2) break;
    for (const ArcIndex index : graph_.callees(symbol)) {
      const GraphArc& arc = graph_.arc(index);
      if (arc.callee == symbol || !std::binary_search(function.begin(), function.end(), arc.callee))
        continue;
      time.children -= arc.self_share + arc.children_share;
    }
  }
  time.children = std::max(0.0, time.children);
  time.error = std::min(errors, error_of(time.total()));
  return time;
}

// A frame missing on a stack called something, and was mostly called itself.
bool FunctionTimes::may_be_left_out(std::span<const SymbolIndex> function) const {
  return std::ranges::any_of(function,
                             [&](SymbolIndex symbol) { return !graph_.callees(symbol).empty(); });
}

ArcTime FunctionTimes::of(const GraphArc& arc) const {
  const Ticks ticks = arc.self_share + arc.children_share;
  if (measured_.known()) return {ticks, error_of(ticks)};
  const Ticks whole = total_of_callee(graph_, arc);
  if (!(whole > 0)) return {ticks, 0};
  return {ticks, std::min(1.0, ticks / whole) * error_of_total(arc.callee)};
}

Ticks FunctionTimes::error_of_total(SymbolIndex symbol) const {
  const std::lock_guard lock(mutex_);
  estimate_error(symbol);
  return errors_[symbol];
}

void FunctionTimes::estimate_all_errors() const {
  const std::lock_guard lock(mutex_);
  for (const SymbolIndex symbol : graph_.callees_first()) estimate_error(symbol);
}

void FunctionTimes::estimate_error(SymbolIndex symbol) const {
  if (errors_.empty()) errors_.assign(graph_.callees_first().size(), not_known);
  if (errors_[symbol] != not_known) return;
  std::vector<SymbolIndex> way = {symbol};
  while (!way.empty()) {
    const SymbolIndex at = way.back();
    const auto error =
        errors_[at] == not_known ? error_by_callees(at, way) : std::optional(errors_[at]);
    if (!error) continue;
    errors_[at] = *error;
    way.pop_back();
  }
}

std::optional<Ticks> FunctionTimes::error_by_callees(SymbolIndex symbol,
                                                     std::vector<SymbolIndex>& way) const {
  const GraphNode& node = graph_.node(symbol);
  if (node.cycle != 0) {
    const Cycle& cycle = graph_.cycle(node.cycle);
    return error_of(cycle.self + cycle.children);
  }
  const std::size_t known_way = way.size();
  Ticks handed = 0;
  for (const ArcIndex index : graph_.callees(symbol)) {
    const GraphArc& arc = graph_.arc(index);
    const Ticks whole = total_of_callee(graph_, arc);
    if (arc.callee == symbol || !(whole > 0)) continue;
    if (errors_[arc.callee] == not_known) way.push_back(arc.callee);
    const Ticks share = arc.self_share + arc.children_share;
    handed += std::min(1.0, share / whole) * errors_[arc.callee];
  }
  if (way.size() > known_way) return std::nullopt;
  return std::min(error_of(node.total()), std::hypot(error_of(node.self), handed));
}

}  // namespace gprof
