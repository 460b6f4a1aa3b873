// The dynamic call graph of a profile: arcs, cycles, and time propagated from callees to callers.
//
// The recurrence (Graham, Kessler, McKusick, "gprof: a Call Graph Execution Profiler", 1982,
// section 4): an arc from caller r to callee e that accounts for C of the C_e calls of e gives r
// the fraction C / C_e of e's self time and of the time e itself received. The members of a cycle
// are one entity: calls into any of them share the time of all of them, and calls between them
// propagate nothing. A function's calls of itself do not count in C_e. with() replaces these
// estimates by measured times.
//
// Units: ticks (divide by FunctionCosts::ticks_per_second()). Ownership: owns its nodes and arcs.
// Thread contract: immutable.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/analysis/function_costs.h"
#include "engine/callgraph/measured_times.h"
#include "engine/callgraph/strong_components.h"
#include "engine/support/stored_checks.h"

namespace gprof {

using ArcIndex = std::uint32_t;
// Number of a cycle, from 1; 0 means "in no cycle".
using CycleNumber = std::uint32_t;

struct GraphArc {
  SymbolIndex caller = no_symbol;
  SymbolIndex callee = no_symbol;
  std::uint64_t count = 0;  // 0: seen only in the machine code
  // The time that these calls propagate to the caller, times the caller's fraction.
  Ticks self_share = 0;
  Ticks children_share = 0;
};

// A node's or a cycle's time under PropagationRules. Without any rules, all of it is propagated and
// everything is printed.
struct Propagation {
  double fraction = 0;  // of its time that reaches a counted caller
  Ticks self = 0;       // times the fraction
  Ticks children = 0;
  bool printed = false;

  [[nodiscard]] Ticks total() const { return self + children; }
};

struct GraphNode {
  std::uint64_t calls = 0;       // from other functions, and spontaneous ones
  std::uint64_t self_calls = 0;  // of itself
  Ticks self = 0;
  Ticks children = 0;
  // The members below use the padding that this leaves: there are as many nodes as symbols, and a
  // node of 64 bytes fits one cache line.
  [[no_unique_address]] Propagation propagated;
  CycleNumber cycle = 0;

  [[nodiscard]] Ticks total() const { return self + children; }
};
static_assert(sizeof(GraphNode) == 64);

struct Cycle {
  // In the order found, except that the one reached first comes first.
  std::vector<SymbolIndex> members;
  std::uint64_t calls = 0;           // from outside the cycle
  std::uint64_t internal_calls = 0;  // between different members
  Ticks self = 0;                    // of the members with a nonzero fraction
  Ticks children = 0;
  Propagation propagated;
};

// Which symbols begin or end the propagation of time and the printing of entries (gprof's options
// -n, -N, -E, -F and -q, -Q, -e, -f). One entry per symbol; an empty vector is the default: every
// symbol begins both and none ends them.
struct PropagationRules {
  // Consulted if nothing comes from the callers.
  std::vector<bool> begins_time;
  std::vector<bool> begins_printing;
  // Consulted if something does.
  std::vector<bool> ends_time;
  std::vector<bool> ends_printing;

  [[nodiscard]] bool empty() const {
    return begins_time.empty() && begins_printing.empty() && ends_time.empty() &&
           ends_printing.empty();
  }
};

class CallGraph {
 public:
  CallGraph() = default;
  // `self` has one entry per symbol; `sites` are in the order of FunctionCosts::site_arcs(). `like`
  // is null, or the graph of sites that differ from these at most in counts: its arcs, their order
  // and its cycles are then reused, with the same result.
  static CallGraph build(std::span<const Ticks> self, std::span<const SiteArc> sites,
                         const PropagationRules& rules = {}, const CallGraph* like = nullptr);

  // The same calls with measured times: arcs propagate what ran under their calls, including those
  // inside cycles, and arcs that were seen on stacks but not counted are added (count 0). Every
  // node begins and ends the propagation of time as it does without rules.
  [[nodiscard]] CallGraph with(const MeasuredTimes& measured) const;
  [[nodiscard]] bool is_measured() const { return measured_; }

  [[nodiscard]] const GraphNode& node(SymbolIndex symbol) const { return nodes_[symbol]; }
  // Oldest first.
  [[nodiscard]] std::span<const GraphArc> arcs() const { return arcs_; }
  [[nodiscard]] const GraphArc& arc(ArcIndex index) const { return arcs_[index]; }
  // Newest first, as in gprof. A function's arc to itself is in both lists.
  [[nodiscard]] std::span<const ArcIndex> callees(SymbolIndex symbol) const {
    return callees_.of(symbol);
  }
  [[nodiscard]] std::span<const ArcIndex> callers(SymbolIndex symbol) const {
    return callers_.of(symbol);
  }
  // Prefetch a symbol's data: first its node and its arc list's position and, once those are
  // cached, the arcs.
  void prefetch(SymbolIndex symbol) const {
    prefetch_node(symbol);
    callees_.prefetch(symbol);
    callers_.prefetch(symbol);
  }
  void prefetch_node(SymbolIndex symbol) const { __builtin_prefetch(&nodes_[symbol]); }
  void prefetch_arcs(SymbolIndex symbol) const {
    for (const Adjacency* adjacency : {&callees_, &callers_}) {
      for (const ArcIndex index : adjacency->first_of(symbol)) __builtin_prefetch(&arcs_[index]);
    }
  }
  // Callees before callers, except for calls inside a cycle, whose members are adjacent.
  [[nodiscard]] std::span<const SymbolIndex> callees_first() const { return callees_first_; }
  // All propagated ticks: of all nodes, times their fractions.
  [[nodiscard]] Ticks propagated_ticks() const { return propagated_ticks_; }
  // cycle(1) is the first. Numbered by the order in which a member was first reached.
  [[nodiscard]] std::size_t cycle_count() const { return cycles_.size(); }
  [[nodiscard]] const Cycle& cycle(CycleNumber number) const { return cycles_[number - 1]; }

  // All of it, to or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    stream.array(self.nodes_);
    stream.array(self.arcs_);
    stream.array(self.arc_of_site_);
    Adjacency::exchange(self.callees_, stream);
    Adjacency::exchange(self.callers_, stream);
    stream.array(self.callees_first_);
    stream.number(self.propagated_ticks_);
    stream.list(self.cycles_, [&](auto& cycle) {
      stream.array(cycle.members);
      stream.number(cycle.calls);
      stream.number(cycle.internal_calls);
      stream.number(cycle.self);
      stream.number(cycle.children);
      stream.number(cycle.propagated.fraction);
      stream.number(cycle.propagated.printed);
      stream.number(cycle.propagated.self);
      stream.number(cycle.propagated.children);
    });
  }
  // Whether what exchange() read is valid for that many symbols and sites.
  [[nodiscard]] bool is_sound(std::size_t symbols, std::size_t sites) const;

 private:
  // Arcs of each symbol in one flat array.
  class Adjacency {
   public:
    Adjacency() = default;
    Adjacency(std::span<const GraphArc> arcs, std::size_t symbol_count, SymbolIndex GraphArc::*end);
    [[nodiscard]] std::span<const ArcIndex> of(SymbolIndex symbol) const {
      return std::span<const ArcIndex>(indices_).subspan(first_[symbol],
                                                         first_[symbol + 1] - first_[symbol]);
    }
    template <typename Self, typename Stream>
    static void exchange(Self& self, Stream& stream) {
      stream.array(self.first_);
      stream.array(self.indices_);
    }
    [[nodiscard]] bool is_sound(std::size_t symbols, std::size_t arcs) const {
      return are_parts(first_, symbols, indices_.size()) && all_below(indices_, arcs);
    }
    // The first few: prefetching more does not pay.
    [[nodiscard]] std::span<const ArcIndex> first_of(SymbolIndex symbol) const {
      constexpr std::size_t most = 8;
      const auto all = of(symbol);
      return all.first(std::min(all.size(), most));
    }
    void prefetch(SymbolIndex symbol) const { __builtin_prefetch(&first_[symbol]); }
    void prefetch_indices(SymbolIndex symbol) const {
      __builtin_prefetch(indices_.data() + first_[symbol]);
    }

   private:
    FlatArray<std::uint32_t> first_;
    FlatArray<ArcIndex> indices_;
  };

  template <typename SymbolAt, typename Visit>
  void visit_fetched(const Adjacency& adjacency, SymbolIndex GraphArc::*other,
                     const SymbolAt& symbol_at, const Visit& visit) const;
  void find_structure(std::span<const SiteArc> sites, bool for_report);
  void take_structure(const CallGraph& like);
  void collect_arcs(std::span<const SiteArc> sites);
  void count_arcs(std::span<const SiteArc> sites);
  void count_calls();
  [[nodiscard]] std::vector<SymbolIndex> order_of_acyclic() const;
  void find_cycles(bool for_report);
  void add_components(const StrongComponents& components, const std::vector<bool>& is_ordered);
  void number_cycles(std::vector<std::vector<SymbolIndex>> components);
  void count_cycle_calls();
  void propagate_all();
  void propagate_fractions(const PropagationRules& rules);
  void inherit_from_callers(SymbolIndex symbol, Propagation& heir, std::uint64_t calls) const;
  void settle_cycle_times();
  void propagate_times();
  void propagate_arc(GraphArc& arc);
  void take_arcs(const MeasuredTimes& measured);
  void take_totals(const MeasuredTimes& measured);

  FlatArray<GraphNode> nodes_;
  FlatArray<GraphArc> arcs_;
  FlatArray<ArcIndex> arc_of_site_;  // in site order
  Adjacency callees_;
  Adjacency callers_;
  std::vector<Cycle> cycles_;
  FlatArray<SymbolIndex> callees_first_;
  Ticks propagated_ticks_ = 0;
  bool measured_ = false;
};

}  // namespace gprof
