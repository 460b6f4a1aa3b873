#include "engine/callgraph/call_graph.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "engine/callgraph/strong_components.h"

namespace gprof {

CallGraph::Adjacency::Adjacency(const std::vector<GraphArc>& arcs, std::size_t symbol_count,
                                SymbolIndex GraphArc::*end)
    : first_(symbol_count + 1, 0) {
  for (const GraphArc& arc : arcs) {
    if (arc.*end != no_symbol) ++first_[arc.*end + 1];
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  indices_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (ArcIndex i = 0; i < arcs.size(); ++i) {
    if (arcs[i].*end != no_symbol) indices_[next[arcs[i].*end]++] = i;
  }
}

CallGraph CallGraph::build(std::span<const Ticks> self, std::span<const SiteArc> sites) {
  const std::size_t symbol_count = self.size();
  CallGraph graph;
  graph.nodes_.resize(symbol_count);
  for (std::size_t i = 0; i < symbol_count; ++i) graph.nodes_[i].self = self[i];
  graph.collect_arcs(sites);
  graph.callees_ = Adjacency(graph.arcs_, symbol_count, &GraphArc::caller);
  graph.callers_ = Adjacency(graph.arcs_, symbol_count, &GraphArc::callee);
  graph.count_calls();
  const std::vector<SymbolIndex> callees_first = graph.find_cycles();
  graph.propagate_times(callees_first);
  return graph;
}

void CallGraph::collect_arcs(std::span<const SiteArc> sites) {
  std::unordered_map<std::uint64_t, ArcIndex> index_of;
  index_of.reserve(sites.size());
  for (const SiteArc& site : sites) {
    const std::uint64_t key = (std::uint64_t{site.caller} << 32) | site.callee;
    const auto [entry, inserted] = index_of.try_emplace(key, static_cast<ArcIndex>(arcs_.size()));
    if (inserted) arcs_.push_back({site.caller, site.callee, 0, 0, 0});
    arcs_[entry->second].count += site.count;
  }
}

void CallGraph::count_calls() {
  for (const GraphArc& arc : arcs_) {
    GraphNode& callee = nodes_[arc.callee];
    (arc.caller == arc.callee ? callee.self_calls : callee.calls) += arc.count;
  }
}

std::vector<SymbolIndex> CallGraph::find_cycles() {
  auto successors = [this](SymbolIndex symbol, std::size_t position) -> std::optional<SymbolIndex> {
    const auto arcs = callees_.of(symbol);
    if (position >= arcs.size()) return std::nullopt;
    return arcs_[arcs[position]].callee;
  };
  const auto components = strong_components(static_cast<SymbolIndex>(nodes_.size()), successors);
  std::vector<SymbolIndex> callees_first;
  callees_first.reserve(nodes_.size());
  std::vector<std::vector<SymbolIndex>> cycles;
  for (std::size_t i = 0; i + 1 < components.first.size(); ++i) {
    const auto members =
        std::span(components.members)
            .subspan(components.first[i], components.first[i + 1] - components.first[i]);
    callees_first.insert(callees_first.end(), members.begin(), members.end());
    if (members.size() > 1) cycles.emplace_back(members.begin(), members.end());
  }
  number_cycles(std::move(cycles));
  return callees_first;
}

void CallGraph::number_cycles(std::vector<std::vector<SymbolIndex>> components) {
  for (auto& members : components) std::sort(members.begin(), members.end());
  std::sort(components.begin(), components.end());
  for (auto& members : components) {
    Cycle cycle;
    const auto number = static_cast<CycleNumber>(cycles_.size() + 1);
    for (const SymbolIndex member : members) {
      nodes_[member].cycle = number;
      cycle.self += nodes_[member].self;
    }
    cycle.members = std::move(members);
    cycles_.push_back(std::move(cycle));
  }
  for (const GraphArc& arc : arcs_) {
    const CycleNumber number = nodes_[arc.callee].cycle;
    if (number == 0 || arc.caller == arc.callee) continue;
    const bool inside = arc.caller != no_symbol && nodes_[arc.caller].cycle == number;
    (inside ? cycles_[number - 1].internal_calls : cycles_[number - 1].calls) += arc.count;
  }
}

void CallGraph::propagate_times(const std::vector<SymbolIndex>& callees_first) {
  // A cycle's members stand together in this order, and everything that they call outside the
  // cycle stands before them: when a call into the cycle is reached, its time is complete.
  for (const SymbolIndex caller : callees_first) {
    for (const ArcIndex index : callees_.of(caller)) propagate_arc(arcs_[index]);
  }
  // Spontaneous calls hand their share to nobody, but show it.
  for (GraphArc& arc : arcs_) {
    if (arc.caller == no_symbol) propagate_arc(arc);
  }
}

void CallGraph::propagate_arc(GraphArc& arc) {
  const GraphNode& callee = nodes_[arc.callee];
  if (arc.count == 0 || arc.caller == arc.callee) return;
  const CycleNumber caller_cycle = arc.caller == no_symbol ? 0 : nodes_[arc.caller].cycle;
  if (callee.cycle != 0 && callee.cycle == caller_cycle) return;

  const bool whole_cycle = callee.cycle != 0;
  const std::uint64_t calls = whole_cycle ? cycles_[callee.cycle - 1].calls : callee.calls;
  if (calls == 0) return;
  const double fraction = static_cast<double>(arc.count) / static_cast<double>(calls);
  arc.self_share = (whole_cycle ? cycles_[callee.cycle - 1].self : callee.self) * fraction;
  arc.children_share =
      (whole_cycle ? cycles_[callee.cycle - 1].children : callee.children) * fraction;
  if (arc.caller == no_symbol) return;
  const Ticks share = arc.self_share + arc.children_share;
  nodes_[arc.caller].children += share;
  if (caller_cycle != 0) cycles_[caller_cycle - 1].children += share;
}

}  // namespace gprof
