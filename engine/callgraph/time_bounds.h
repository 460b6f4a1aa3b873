// Between what the time of a function, or of an arc, must lie, whatever each call cost.
//
// Of calls that were counted only their number is known; gprof's estimate takes every call of a
// function to have cost the same. What is certain is the graph: a function's total is at least the
// self time of all that nobody reaches but through it, and at most that of all that it reaches; an
// arc's is at least what nobody reaches but through it, and at most what both its caller and its
// callee may have. Each is widened by three standard deviations of its samples (SampleErrors).
//
// What nobody reaches but through a function is what it dominates (DominatorTree). What a function
// reaches is found by a walk; where that would take too many steps, a higher bound takes its place
// that is as certain: the self time of all that stands before the function where callees stand
// before callers, or what its callees have at most, whatever they share, with its own.
// Functions of several symbols are walked from, too, in graphs of so few arcs; in others what each
// symbol dominates is added up, which is no more than what all of them do together.
//
// Calls by code that counts none (a library, a file built without -pg) are in no arc. Such code is
// taken to have been entered from every function that may call out of the counted code, and to have
// called whatever somebody called without being known.
//
// Units: ticks. Ownership: borrows the graph. Thread contract: const members from any thread.
// Cost: construction is linear but for a logarithm; an answer takes at most `most_steps`, and a
// look at the callers of the callee, once; it is kept.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engine/callgraph/call_graph.h"
#include "engine/callgraph/dominators.h"
#include "engine/profile/sample_errors.h"

namespace gprof {

struct TimeBounds {
  Ticks low = 0;
  Ticks high = 0;
};

// Whether something holds, by symbol: 1 or 0; it does not where there is no entry.
using SymbolFlags = FlatArray<std::uint8_t>;

// What the arcs do not say; empty where everything is counted.
struct UncountedCode {
  SymbolFlags entered;  // it is such code, or was called by it
  SymbolFlags leaves;   // it may call such code
};

class BoundedTimes {
 public:
  // `graph` as gprof estimates it: only its calls and self times are looked at. `most_steps`: arcs
  // that one walk follows.
  BoundedTimes(const CallGraph& graph, UncountedCode uncounted, const SampleErrors& errors = {},
               std::size_t most_steps = default_steps);
  // As exchange() writes it, of the same graph.
  template <typename Reader>
  BoundedTimes(const CallGraph& graph, const SampleErrors& errors, Reader& stored)
      : graph_(graph), errors_(errors), most_steps_(default_steps) {
    exchange(*this, stored);
  }

  // Of symbols that are one function.
  [[nodiscard]] TimeBounds total(std::span<const SymbolIndex> function) const;
  // Of all calls from one function to the other.
  [[nodiscard]] TimeBounds arc(std::span<const SymbolIndex> caller,
                               std::span<const SymbolIndex> callee) const;

  // All of it but graph and errors, to or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    stream.array(self.uncounted_.entered);
    stream.array(self.uncounted_.leaves);
    stream.array(self.roots_);
    stream.array(self.is_root_);
    stream.array(self.behind_uncounted_);
    stream.number(self.self_behind_uncounted_);
    DominatorTree::exchange(self.dominators_, stream);
    stream.array(self.behind_);
    stream.array(self.reaches_at_most_);
    stream.number(self.all_self_);
  }
  // What exchange() read can be of so many symbols.
  [[nodiscard]] bool is_sound(std::size_t symbols) const {
    return all_below(roots_, symbols) && is_root_.size() == symbols &&
           behind_uncounted_.size() == symbols && dominators_.node_count() == symbols &&
           behind_.size() == symbols && are_finite(behind_) && reaches_at_most_.size() == symbols &&
           are_finite(reaches_at_most_) && std::isfinite(self_behind_uncounted_) &&
           std::isfinite(all_self_);
  }

 private:
  static constexpr std::size_t default_steps = 10'000;

  using Symbols = std::span<const SymbolIndex>;
  // The arc is not taken in a walk. Ways into roots come from no_symbol.
  using Closed = std::function<bool(SymbolIndex from, SymbolIndex to)>;

  [[nodiscard]] TimeBounds widened(Ticks low, Ticks high) const;
  void find_roots();
  void find_dominators();
  void bound_by_callees();
  // Of the component of the graph that begins there; gives where the next one does.
  std::size_t bound_component(std::size_t begin, Ticks& before);

  [[nodiscard]] std::vector<bool> reach(std::vector<SymbolIndex> from, const Closed& closed) const;
  [[nodiscard]] Ticks self_of_reached(Symbols from) const;
  [[nodiscard]] std::optional<Ticks> walk_from(Symbols from) const;
  [[nodiscard]] bool may_walk() const { return graph_.arcs().size() <= most_steps_; }
  // Of all that runs, and that no walk from where the program begins reaches.
  [[nodiscard]] Ticks self_behind(const Closed& closed) const;
  // Of all that one of these dominates.
  [[nodiscard]] Ticks self_behind(Symbols function) const;
  [[nodiscard]] bool is_entered_by(Symbols callers, SymbolIndex callee) const;

  const CallGraph& graph_;
  UncountedCode uncounted_;
  const SampleErrors errors_;
  const std::size_t most_steps_;
  FlatArray<SymbolIndex> roots_;  // where the program begins: what nobody is known to call
  SymbolFlags is_root_;
  SymbolFlags behind_uncounted_;  // reached from what code that counts no calls enters
  Ticks self_behind_uncounted_ = 0;
  DominatorTree dominators_;
  FlatArray<Ticks> behind_;           // by symbol: self time of what it dominates
  FlatArray<Ticks> reaches_at_most_;  // by symbol, but for calls that were not counted
  Ticks all_self_ = 0;

  static constexpr std::size_t most_kept = 16'384;
  mutable std::mutex mutex_;
  mutable std::map<std::vector<SymbolIndex>, Ticks> reached_;  // what was asked for before
};

}  // namespace gprof
