#include "engine/callgraph/call_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/callgraph/leaf_order.h"
#include "engine/support/grouped_table.h"
#include "engine/support/parallel.h"
#include "engine/support/saturating.h"

namespace gprof {
namespace {

// Whether the rule holds for the symbol; `otherwise` if there is no rule.
bool holds(const std::vector<bool>& rule, SymbolIndex symbol, bool otherwise) {
  return rule.empty() ? otherwise : rule[symbol];
}

// What comes from the callers, unless the rules for the symbol itself say otherwise.
void apply_rules(Propagation& propagated, SymbolIndex symbol, const PropagationRules& rules) {
  propagated.printed = propagated.printed ? !holds(rules.ends_printing, symbol, false)
                                          : holds(rules.begins_printing, symbol, true);
  if (propagated.fraction == 0) {
    if (holds(rules.begins_time, symbol, true)) propagated.fraction = 1;
  } else if (holds(rules.ends_time, symbol, false)) {
    propagated.fraction = 0;
  }
}

}  // namespace

CallGraph::Adjacency::Adjacency(std::span<const GraphArc> arcs, std::size_t symbol_count,
                                SymbolIndex GraphArc::*end) {
  first_.assign(symbol_count + 1, 0);
  for (const GraphArc& arc : arcs) {
    if (arc.*end != no_symbol) ++first_[arc.*end + 1];
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  indices_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t i = arcs.size(); i-- > 0;) {
    if (arcs[i].*end != no_symbol) indices_[next[arcs[i].*end]++] = static_cast<ArcIndex>(i);
  }
}

// Visits every symbol, symbol_at(i) the i-th, prefetching its arcs in `adjacency` and the nodes at
// their other ends while earlier ones are visited: they are scattered in memory, and waiting for
// them would take most of the time.
template <typename SymbolAt, typename Visit>
void CallGraph::visit_fetched(const Adjacency& adjacency, SymbolIndex GraphArc::*other,
                              const SymbolAt& symbol_at, const Visit& visit) const {
  const std::size_t count = callees_first_.size();
  constexpr std::size_t step = 6;  // each step needs what the previous one fetched
  for (std::size_t i = 0; i < count; ++i) {
    if (i + 4 * step < count) {
      const SymbolIndex symbol = symbol_at(i + 4 * step);
      __builtin_prefetch(&nodes_[symbol]);
      adjacency.prefetch(symbol);
    }
    if (i + 3 * step < count) adjacency.prefetch_indices(symbol_at(i + 3 * step));
    if (i + 2 * step < count) {
      for (const ArcIndex index : adjacency.first_of(symbol_at(i + 2 * step))) {
        __builtin_prefetch(&arcs_[index]);
      }
    }
    if (i + step < count) {
      for (const ArcIndex index : adjacency.first_of(symbol_at(i + step))) {
        const SymbolIndex end = arcs_[index].*other;
        if (end != no_symbol) __builtin_prefetch(&nodes_[end]);
      }
    }
    visit(symbol_at(i));
  }
}

CallGraph CallGraph::build(std::span<const Ticks> self, std::span<const SiteArc> sites,
                           const PropagationRules& rules, const CallGraph* like) {
  CallGraph graph;
  graph.nodes_.resize(self.size());
  for (std::size_t i = 0; i < self.size(); ++i) graph.nodes_[i].self = self[i];
  if (like != nullptr) {
    graph.take_structure(*like);
  } else {
    graph.find_structure(sites, !rules.empty());
  }
  graph.count_arcs(sites);
  graph.count_calls();
  graph.count_cycle_calls();
  if (rules.empty()) {
    graph.propagate_all();
  } else {
    graph.propagate_fractions(rules);
  }
  graph.settle_cycle_times();
  graph.propagate_times();
  return graph;
}

void CallGraph::find_structure(std::span<const SiteArc> sites, bool for_report) {
  collect_arcs(sites);
  run_beside([this] { callees_ = Adjacency(arcs_, nodes_.size(), &GraphArc::caller); },
             [this] { callers_ = Adjacency(arcs_, nodes_.size(), &GraphArc::callee); },
             arcs_.size() >= elements_worth_a_thread);
  find_cycles(for_report);
}

void CallGraph::take_structure(const CallGraph& like) {
  arcs_.reserve(like.arcs_.size());
  for (const GraphArc& arc : like.arcs_) arcs_.push_back({arc.caller, arc.callee, 0, 0, 0});
  arc_of_site_ = like.arc_of_site_;
  callees_ = like.callees_;
  callers_ = like.callers_;
  callees_first_ = like.callees_first_;
  cycles_.reserve(like.cycles_.size());
  for (const Cycle& cycle : like.cycles_) cycles_.emplace_back().members = cycle.members;
  for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].cycle = like.nodes_[i].cycle;
}

void CallGraph::collect_arcs(std::span<const SiteArc> sites) {
  // From last to first they are mostly by address, so those of a caller are adjacent.
  GroupedTable known_arcs(sites.size(), [&](std::size_t i) {
    return sites[sites.size() - 1 - i].caller + 1;  // no_symbol is the first
  });
  arcs_.reserve(sites.size());
  arc_of_site_.resize(sites.size());
  for (std::size_t i = sites.size(); i-- > 0;) {
    const SiteArc& site = sites[i];
    const auto next = static_cast<ArcIndex>(arcs_.size());
    const ArcIndex place = known_arcs.find_or_add(
        sites.size() - 1 - i, next, [&] { return hash_of(site.caller, site.callee); },
        [&](ArcIndex known) { return arcs_[known].caller == site.caller; },
        [&](ArcIndex known) {
          return arcs_[known].caller == site.caller && arcs_[known].callee == site.callee;
        });
    if (place == next) arcs_.push_back({site.caller, site.callee, 0, 0, 0});
    arc_of_site_[i] = place;
  }
}

void CallGraph::count_arcs(std::span<const SiteArc> sites) {
  for (std::size_t i = sites.size(); i-- > 0;) {
    std::uint64_t& count = arcs_[arc_of_site_[i]].count;
    count = saturating_add(count, sites[i].count);
  }
}

void CallGraph::count_calls() {
  constexpr std::size_t ahead = 16;
  for (std::size_t i = 0; i < arcs_.size(); ++i) {
    if (i + ahead < arcs_.size()) __builtin_prefetch(&nodes_[arcs_[i + ahead].callee]);
    const GraphArc& arc = arcs_[i];
    GraphNode& callee = nodes_[arc.callee];
    std::uint64_t& calls = arc.caller == arc.callee ? callee.self_calls : callee.calls;
    calls = saturating_add(calls, arc.count);
  }
}

// Symbols that reach no cycle, in callees_first() order.
std::vector<SymbolIndex> CallGraph::order_of_acyclic() const {
  std::vector<std::uint32_t> first(nodes_.size() + 1);
  std::vector<std::uint32_t> callees(nodes_.size());
  const auto counts = [](const GraphArc& arc) {
    return arc.caller != no_symbol && arc.caller != arc.callee;
  };
  for (const GraphArc& arc : arcs_) {
    if (!counts(arc)) continue;
    ++callees[arc.caller];
    ++first[arc.callee + 1];
  }
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  std::vector<SymbolIndex> callers(first.back());
  // The start of a symbol's list moves to the start of the next one's.
  for (const GraphArc& arc : arcs_) {
    if (counts(arc)) callers[first[arc.callee]++] = arc.caller;
  }
  first.insert(first.begin(), 0);
  first.pop_back();
  return leaves_first(callers, first, std::move(callees));
}

// Of several callees-first orders, reports need exactly the search's: they print a sum that depends
// on the order of rounding.
void CallGraph::find_cycles(bool for_report) {
  if (!for_report) callees_first_ = order_of_acyclic();
  if (callees_first_.size() == nodes_.size()) return;
  std::vector<bool> is_ordered(nodes_.size());
  for (const SymbolIndex symbol : callees_first_) is_ordered[symbol] = true;
  // Just the callees, per caller in its arcs' order: the search jumps around, and the complete arcs
  // take ten times as much memory.
  std::vector<SymbolIndex> callees;
  std::vector<std::uint32_t> first = {0};
  first.reserve(nodes_.size() + 1);
  for (SymbolIndex symbol = 0; symbol < nodes_.size(); ++symbol) {
    for (const ArcIndex index :
         is_ordered[symbol] ? std::span<const ArcIndex>() : callees_.of(symbol)) {
      if (!is_ordered[arcs_[index].callee]) callees.push_back(arcs_[index].callee);
    }
    first.push_back(static_cast<std::uint32_t>(callees.size()));
  }
  const auto successors = [&](SymbolIndex symbol) {
    return std::span<const SymbolIndex>(callees).subspan(first[symbol],
                                                         first[symbol + 1] - first[symbol]);
  };
  add_components(strong_components(static_cast<SymbolIndex>(nodes_.size()), successors),
                 is_ordered);
}

void CallGraph::add_components(const StrongComponents& components,
                               const std::vector<bool>& is_ordered) {
  callees_first_.reserve(nodes_.size());
  std::vector<std::vector<SymbolIndex>> cycles;
  for (std::size_t i = 0; i + 1 < components.first.size(); ++i) {
    const auto members =
        std::span(components.members)
            .subspan(components.first[i], components.first[i + 1] - components.first[i]);
    if (is_ordered[members.front()]) continue;
    const std::size_t start = callees_first_.size();
    callees_first_.append(members.begin(), members.end());
    std::sort(callees_first_.begin() + static_cast<std::ptrdiff_t>(start), callees_first_.end());
    if (members.size() > 1) cycles.emplace_back(members.begin(), members.end());
  }
  number_cycles(std::move(cycles));
}

void CallGraph::number_cycles(std::vector<std::vector<SymbolIndex>> components) {
  // By the member that was reached first.
  std::sort(components.begin(), components.end());
  for (auto& members : components) {
    cycles_.emplace_back().members = std::move(members);
    for (const SymbolIndex member : cycles_.back().members) {
      nodes_[member].cycle = static_cast<CycleNumber>(cycles_.size());
    }
  }
}

void CallGraph::count_cycle_calls() {
  if (cycles_.empty()) return;
  for (const GraphArc& arc : arcs_) {
    const CycleNumber number = nodes_[arc.callee].cycle;
    if (number == 0 || arc.caller == arc.callee) continue;
    const bool inside = arc.caller != no_symbol && nodes_[arc.caller].cycle == number;
    std::uint64_t& calls = inside ? cycles_[number - 1].internal_calls : cycles_[number - 1].calls;
    calls = saturating_add(calls, arc.count);
  }
}

// Adds up what callers outside its cycle pass down.
void CallGraph::inherit_from_callers(SymbolIndex symbol, Propagation& heir,
                                     std::uint64_t calls) const {
  const CycleNumber cycle = nodes_[symbol].cycle;
  for (const ArcIndex index : callers_.of(symbol)) {
    const GraphArc& arc = arcs_[index];
    if (arc.caller == symbol) continue;
    const bool known = arc.caller != no_symbol;
    if (known && cycle != 0 && nodes_[arc.caller].cycle == cycle) continue;
    // The time of a spontaneous call always counts.
    const Propagation from = known ? nodes_[arc.caller].propagated : Propagation{1, 0, 0, true};
    heir.printed = heir.printed || from.printed;
    if (calls == 0) continue;
    heir.fraction += from.fraction * (static_cast<double>(arc.count) / static_cast<double>(calls));
  }
}

// propagate_fractions() for the case without rules: all time is propagated.
void CallGraph::propagate_all() {
  for (GraphNode& node : nodes_) {
    node.propagated = {1, node.self, 0, true};
    propagated_ticks_ += node.self;
  }
  // A cycle that nobody enters has no time as a whole.
  for (Cycle& cycle : cycles_) {
    for (const SymbolIndex member : cycle.members) {
      inherit_from_callers(member, cycle.propagated, cycle.calls);
    }
    if (cycle.propagated.fraction != 0) cycle.propagated.fraction = 1;
  }
}

void CallGraph::propagate_fractions(const PropagationRules& rules) {
  CycleNumber settled = 0;  // the members of a cycle are adjacent
  const auto callers_first = [this](std::size_t i) {
    return callees_first_[callees_first_.size() - 1 - i];
  };
  visit_fetched(callers_, &GraphArc::caller, callers_first, [&](SymbolIndex symbol) {
    GraphNode& node = nodes_[symbol];
    if (node.cycle == 0) {
      inherit_from_callers(symbol, node.propagated, node.calls);
    } else {
      Cycle& cycle = cycles_[node.cycle - 1];
      if (settled != node.cycle) {
        for (const SymbolIndex member : cycle.members) {
          inherit_from_callers(member, cycle.propagated, cycle.calls);
        }
        settled = node.cycle;
      }
      node.propagated = cycle.propagated;
    }
    apply_rules(node.propagated, symbol, rules);
    node.propagated.self = node.self * node.propagated.fraction;
    propagated_ticks_ += node.propagated.self;
  });
}

void CallGraph::settle_cycle_times() {
  for (Cycle& cycle : cycles_) {
    for (const SymbolIndex member : cycle.members) {
      if (nodes_[member].propagated.fraction != 0) cycle.self += nodes_[member].self;
    }
    cycle.propagated.self = cycle.propagated.fraction * cycle.self;
  }
}

void CallGraph::propagate_times() {
  // In this order a cycle's members are adjacent, and everything they call outside the cycle comes
  // first: when a call into the cycle is reached, its time is complete.
  const auto callees_first = [this](std::size_t i) { return callees_first_[i]; };
  visit_fetched(callees_, &GraphArc::callee, callees_first, [&](SymbolIndex caller) {
    if (nodes_[caller].propagated.fraction == 0) return;
    for (const ArcIndex index : callees_.of(caller)) propagate_arc(arcs_[index]);
  });
  // Spontaneous calls propagate their share to nobody, but show it.
  for (GraphArc& arc : arcs_) {
    if (arc.caller == no_symbol) propagate_arc(arc);
  }
}

void CallGraph::propagate_arc(GraphArc& arc) {
  const GraphNode& callee = nodes_[arc.callee];
  if (arc.count == 0 || arc.caller == arc.callee || callee.propagated.fraction == 0) return;
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

  GraphNode& caller = nodes_[arc.caller];
  const Ticks share = arc.self_share + arc.children_share;
  const Ticks propagated_share = caller.propagated.fraction * share;
  caller.children += share;
  caller.propagated.children += propagated_share;
  arc.self_share *= caller.propagated.fraction;
  arc.children_share *= caller.propagated.fraction;
  if (caller_cycle == 0) return;
  cycles_[caller_cycle - 1].children += share;
  cycles_[caller_cycle - 1].propagated.children += propagated_share;
}

CallGraph CallGraph::with(const MeasuredTimes& measured) const {
  CallGraph graph = *this;
  if (!measured.known()) return graph;
  graph.nodes_.make_own();
  graph.arcs_.make_own();
  graph.measured_ = true;
  graph.take_arcs(measured);
  graph.take_totals(measured);
  return graph;
}

void CallGraph::take_arcs(const MeasuredTimes& measured) {
  std::vector<ArcIndex> by_ends(arcs_.size());
  std::iota(by_ends.begin(), by_ends.end(), ArcIndex{0});
  const auto ends = [this](ArcIndex i) { return std::pair(arcs_[i].caller, arcs_[i].callee); };
  std::sort(by_ends.begin(), by_ends.end(),
            [&](ArcIndex a, ArcIndex b) { return ends(a) < ends(b); });
  for (GraphArc& arc : arcs_) arc.self_share = arc.children_share = 0;
  std::vector<GraphArc> uncounted;
  for (const MeasuredArc& seen : measured.arcs()) {
    const std::pair wanted(seen.caller, seen.callee);
    const auto known = std::partition_point(by_ends.begin(), by_ends.end(),
                                            [&](ArcIndex i) { return ends(i) < wanted; });
    const GraphArc arc{seen.caller, seen.callee, 0, seen.self, seen.ticks - seen.self};
    if (known != by_ends.end() && ends(*known) == wanted) {
      arcs_[*known].self_share = arc.self_share;
      arcs_[*known].children_share = arc.children_share;
    } else if (seen.caller != no_symbol) {
      uncounted.push_back(arc);
    }
  }
  if (uncounted.empty()) return;
  arcs_.append(uncounted.begin(), uncounted.end());
  callees_ = Adjacency(arcs_, nodes_.size(), &GraphArc::caller);
  callers_ = Adjacency(arcs_, nodes_.size(), &GraphArc::callee);
}

void CallGraph::take_totals(const MeasuredTimes& measured) {
  Ticks whole = 0;
  const auto settle = [](Propagation& propagated, Ticks self, Ticks children) {
    propagated.fraction = 1;
    propagated.self = self;
    propagated.children = children;
  };
  for (SymbolIndex symbol = 0; symbol < nodes_.size(); ++symbol) {
    GraphNode& node = nodes_[symbol];
    node.children = std::max(0.0, measured.total(symbol) - node.self);
    settle(node.propagated, node.self, node.children);
    whole += node.self;
  }
  for (Cycle& cycle : cycles_) {
    cycle.self = 0;
    for (const SymbolIndex member : cycle.members) cycle.self += nodes_[member].self;
    cycle.children = std::max(0.0, measured.total(cycle.members) - cycle.self);
    settle(cycle.propagated, cycle.self, cycle.children);
  }
  propagated_ticks_ = std::max(whole, measured.whole());
}

bool CallGraph::is_sound(std::size_t symbols, std::size_t sites) const {
  const bool lists = nodes_.size() == symbols && arc_of_site_.size() == sites &&
                     all_below(arc_of_site_, arcs_.size()) &&
                     callees_.is_sound(symbols, arcs_.size()) &&
                     callers_.is_sound(symbols, arcs_.size()) && callees_first_.size() == symbols &&
                     all_below(callees_first_, symbols);
  if (!lists || !std::isfinite(propagated_ticks_)) return false;
  for (const Cycle& cycle : cycles_) {
    if (cycle.members.empty() || !all_below(cycle.members, symbols)) return false;
    if (!std::isfinite(cycle.self) || !std::isfinite(cycle.children)) return false;
  }
  return holds_for_all(symbols,
                       [this](std::size_t i) {
                         const GraphNode& node = nodes_[i];
                         return node.cycle <= cycles_.size() && std::isfinite(node.self) &&
                                std::isfinite(node.children) &&
                                is_truth_value(node.propagated.printed);
                       }) &&
         holds_for_all(arcs_.size(), [&](std::size_t i) {
           const GraphArc& arc = arcs_[i];
           return arc.callee < symbols && (arc.caller == no_symbol || arc.caller < symbols) &&
                  std::isfinite(arc.self_share) && std::isfinite(arc.children_share);
         });
}

}  // namespace gprof
