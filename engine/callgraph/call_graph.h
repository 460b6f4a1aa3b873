// The dynamic call graph of a profile: arcs, cycles, and time propagated from callees to callers.
//
// The recurrence (Graham, Kessler, McKusick, "gprof: a Call Graph Execution Profiler", 1982,
// section 4): an arc from caller r to callee e that was taken C of the C_e times that e was called
// hands r the fraction C / C_e of e's self time and of the time that e itself was handed. The
// members of a cycle are one entity: calls into any of them share out the time of all of them, and
// calls between them hand on nothing. A function's calls of itself do not count in C_e.
// with() replaces what this estimates by what was measured.
//
// Units: ticks (divide by Profile::ticks_per_second()). Ownership: owns its nodes and arcs.
// Thread contract: immutable.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/callgraph/measured_times.h"
#include "engine/callgraph/strong_components.h"
#include "engine/profile/profile.h"
#include "engine/support/stored_checks.h"

namespace gprof {

using ArcIndex = std::uint32_t;
// Number of a cycle, from 1; 0 is "in no cycle".
using CycleNumber = std::uint32_t;

struct GraphArc {
  SymbolIndex caller = no_symbol;
  SymbolIndex callee = no_symbol;
  std::uint64_t count = 0;  // 0: seen in the machine code alone
  // What the callee hands to the caller for these calls, times the caller's fraction.
  Ticks self_share = 0;
  Ticks children_share = 0;
};

// What becomes of a node's or a cycle's time under PropagationRules. Without any, the whole of it
// is propagated and everything is printed.
struct Propagation {
  double fraction = 0;  // of its time that reaches a caller whose time counts
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
  // What follows lies in the room that this leaves: there are as many nodes as symbols, and a node
  // of 64 bytes is one line of the processor's caches.
  [[no_unique_address]] Propagation propagated;
  CycleNumber cycle = 0;

  [[nodiscard]] Ticks total() const { return self + children; }
};
static_assert(sizeof(GraphNode) == 64);

struct Cycle {
  // In the order in which they were found to be one cycle, the one reached first before all others.
  std::vector<SymbolIndex> members;
  std::uint64_t calls = 0;           // from outside the cycle
  std::uint64_t internal_calls = 0;  // between different members
  Ticks self = 0;                    // of the members whose fraction is not 0
  Ticks children = 0;
  Propagation propagated;
};

// Which symbols begin or end the propagation of time and the printing of entries (gprof's options
// -n, -N, -E, -F and -q, -Q, -e, -f). An entry a symbol; an empty vector is the default, under
// which every symbol begins both and none ends them.
struct PropagationRules {
  // Asked where nothing comes from the callers.
  std::vector<bool> begins_time;
  std::vector<bool> begins_printing;
  // Asked where something does.
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
  // `self` has an entry for every symbol; `sites` are in the order of Profile::site_arcs(). `like`
  // is null, or the graph of sites that differ from these at most in counts: arcs, their order and
  // cycles are then taken from it, and the answer is the same.
  static CallGraph build(std::span<const Ticks> self, std::span<const SiteArc> sites,
                         const PropagationRules& rules = {}, const CallGraph* like = nullptr);

  // The same calls with the times that were measured: arcs hand on what ran under their calls,
  // those inside cycles too, and arcs that were seen on stacks and not counted are added (count 0).
  // Every node begins and ends the propagation of time as it does without rules.
  [[nodiscard]] CallGraph with(const MeasuredTimes& measured) const;
  [[nodiscard]] bool is_measured() const { return measured_; }

  [[nodiscard]] const GraphNode& node(SymbolIndex symbol) const { return nodes_[symbol]; }
  // Oldest first.
  [[nodiscard]] std::span<const GraphArc> arcs() const { return arcs_; }
  [[nodiscard]] const GraphArc& arc(ArcIndex index) const { return arcs_[index]; }
  // Newest first, as gprof keeps them. The arc of a function to itself is among both.
  [[nodiscard]] std::span<const ArcIndex> callees(SymbolIndex symbol) const {
    return callees_.of(symbol);
  }
  [[nodiscard]] std::span<const ArcIndex> callers(SymbolIndex symbol) const {
    return callers_.of(symbol);
  }
  // Fetch what is going to be needed of a symbol: first its node and where its arcs are told, then,
  // when that is there, the arcs.
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
  // Every callee before its callers, but for calls inside a cycle, whose members stand together.
  [[nodiscard]] std::span<const SymbolIndex> callees_first() const { return callees_first_; }
  // The ticks that are propagated: of all nodes, times their fractions.
  [[nodiscard]] Ticks propagated_ticks() const { return propagated_ticks_; }
  // cycle(1) is the first. Numbered in the order of the members by which they were first reached.
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
  // What exchange() read can be the graph of so many symbols and sites.
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
    // The first few: of nobody more are worth fetching.
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
  FlatArray<ArcIndex> arc_of_site_;  // in the order of the sites
  Adjacency callees_;
  Adjacency callers_;
  std::vector<Cycle> cycles_;
  FlatArray<SymbolIndex> callees_first_;
  Ticks propagated_ticks_ = 0;
  bool measured_ = false;
};

}  // namespace gprof
