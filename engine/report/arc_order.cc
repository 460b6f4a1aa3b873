#include "engine/report/arc_order.h"

#include <algorithm>

namespace gprof {
namespace {

enum : std::uint32_t { recursive_arc, arc_inside_cycle, other_arc };

// Negative, 0 or positive: how the two compare, ignoring their age.
template <typename Arc>
int compare(const Arc& a, const Arc& b) {
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (a.time != b.time) return a.time < b.time ? -1 : 1;
  if (a.count != b.count) return a.count < b.count ? -1 : 1;
  return 0;
}

}  // namespace

bool is_internal_arc(const CallGraph& graph, const GraphArc& arc) {
  if (arc.caller == arc.callee) return true;
  if (arc.caller == no_symbol) return false;
  const CycleNumber cycle = graph.node(arc.callee).cycle;
  return cycle != 0 && graph.node(arc.caller).cycle == cycle;
}

// Keys that are irrelevant for the arc's kind stay 0.
ArcOrder::SortedArc ArcOrder::sorted_arc(ArcIndex index) const {
  const GraphArc& arc = graph_.arc(index);
  SortedArc sorted;
  sorted.index = index;
  sorted.age = static_cast<std::uint32_t>(arcs_.size());
  if (arc.caller == arc.callee) {
    sorted.kind = recursive_arc;
    return sorted;
  }
  sorted.count = arc.count;
  sorted.kind = is_internal_arc(graph_, arc) ? arc_inside_cycle : other_arc;
  if (sorted.kind == other_arc) sorted.time = arc.self_share + arc.children_share;
  return sorted;
}

void ArcOrder::collect(std::span<const ArcIndex> newest_first) {
  arcs_.clear();
  for (std::size_t i = newest_first.size(); i-- > 0;) arcs_.push_back(sorted_arc(newest_first[i]));
}

std::span<const ArcIndex> ArcOrder::taken() {
  order_.clear();
  for (const SortedArc& arc : arcs_) order_.push_back(arc.index);
  return order_;
}

std::span<const ArcIndex> ArcOrder::callers_rising(SymbolIndex symbol) {
  collect(graph_.callers(symbol));
  std::sort(arcs_.begin(), arcs_.end(), [](const SortedArc& a, const SortedArc& b) {
    const int order = compare(a, b);
    return order != 0 ? order < 0 : a.age < b.age;
  });
  return taken();
}

std::span<const ArcIndex> ArcOrder::callees_falling(SymbolIndex symbol) {
  collect(graph_.callees(symbol));
  std::sort(arcs_.begin(), arcs_.end(), [](const SortedArc& a, const SortedArc& b) {
    const int order = compare(a, b);
    return order != 0 ? order > 0 : a.age < b.age;
  });
  return taken();
}

}  // namespace gprof
