#include "engine/report/arc_order.h"

#include <algorithm>

namespace gprof {
namespace {

bool smaller(const CallGraph& graph, const GraphArc& a, const GraphArc& b) {
  const bool recursive_a = a.caller == a.callee;
  const bool recursive_b = b.caller == b.callee;
  if (recursive_a || recursive_b) return recursive_a && !recursive_b;
  const bool internal_a = is_internal_arc(graph, a);
  if (internal_a != is_internal_arc(graph, b)) return internal_a;
  const Ticks time_a = a.self_share + a.children_share;
  const Ticks time_b = b.self_share + b.children_share;
  if (!internal_a && time_a != time_b) return time_a < time_b;
  return a.count < b.count;
}

}  // namespace

bool is_internal_arc(const CallGraph& graph, const GraphArc& arc) {
  if (arc.caller == arc.callee) return true;
  if (arc.caller == no_symbol) return false;
  const CycleNumber cycle = graph.node(arc.callee).cycle;
  return cycle != 0 && graph.node(arc.caller).cycle == cycle;
}

std::vector<ArcIndex> callers_rising(const CallGraph& graph, SymbolIndex symbol) {
  const auto newest_first = graph.callers(symbol);
  std::vector<ArcIndex> arcs(newest_first.rbegin(), newest_first.rend());
  std::stable_sort(arcs.begin(), arcs.end(), [&](ArcIndex a, ArcIndex b) {
    return smaller(graph, graph.arc(a), graph.arc(b));
  });
  return arcs;
}

std::vector<ArcIndex> callees_falling(const CallGraph& graph, SymbolIndex symbol) {
  const auto newest_first = graph.callees(symbol);
  std::vector<ArcIndex> arcs(newest_first.rbegin(), newest_first.rend());
  std::stable_sort(arcs.begin(), arcs.end(), [&](ArcIndex a, ArcIndex b) {
    return smaller(graph, graph.arc(b), graph.arc(a));
  });
  return arcs;
}

}  // namespace gprof
