#include "engine/callgraph/function_times.h"

#include <algorithm>
#include <cmath>

namespace gprof {
namespace {

// What all of the callee's time is that an arc's share is a part of.
Ticks total_of_callee(const CallGraph& graph, const GraphArc& arc) {
  const GraphNode& callee = graph.node(arc.callee);
  if (callee.cycle == 0) return callee.total();
  const Cycle& cycle = graph.cycle(callee.cycle);
  return cycle.self + cycle.children;
}

}  // namespace

Ticks FunctionTimes::error_of(Ticks samples) const {
  return exact_ ? 0 : std::sqrt(std::max(samples, 0.0));
}

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

ArcTime FunctionTimes::of(const GraphArc& arc) const {
  const Ticks ticks = arc.self_share + arc.children_share;
  if (measured_.known()) return {ticks, error_of(ticks)};
  const Ticks whole = total_of_callee(graph_, arc);
  if (!(whole > 0)) return {ticks, 0};
  return {ticks, std::min(1.0, ticks / whole) * error_of_total(arc.callee)};
}

Ticks FunctionTimes::error_of_total(SymbolIndex symbol) const {
  std::call_once(estimated_, [this] { estimate_errors(); });
  return errors_[symbol];
}

void FunctionTimes::estimate_errors() const {
  errors_.assign(graph_.callees_first().size(), 0);
  for (const SymbolIndex symbol : graph_.callees_first()) {
    const GraphNode& node = graph_.node(symbol);
    if (node.cycle != 0) {
      const Cycle& cycle = graph_.cycle(node.cycle);
      errors_[symbol] = error_of(cycle.self + cycle.children);
      continue;
    }
    Ticks handed = 0;
    for (const ArcIndex index : graph_.callees(symbol)) {
      const GraphArc& arc = graph_.arc(index);
      const Ticks whole = total_of_callee(graph_, arc);
      if (arc.callee == symbol || !(whole > 0)) continue;
      const Ticks share = arc.self_share + arc.children_share;
      handed += std::min(1.0, share / whole) * errors_[arc.callee];
    }
    errors_[symbol] = std::min(error_of(node.total()), std::hypot(error_of(node.self), handed));
  }
}

}  // namespace gprof
