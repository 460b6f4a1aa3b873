// Bounds on the time of a function or an arc that hold whatever each call cost.
//
// Of counted calls, only the number is known; gprof's estimate assumes that all calls of a function
// cost the same. Only the graph is certain: a function's total is at least the self time of
// everything that is reachable only through it, and at most that of everything it reaches; an arc's
// is at least that of everything reachable only through it, and at most the bounds of both its
// caller and its callee. Each is widened by three standard deviations (SampleErrors).
//
// What is reachable only through a function is what it dominates (DominatorTree). What a function
// reaches is found by a walk; if that would take too many steps, an equally certain higher bound
// replaces it: the self time of everything up to the function in callees-first order, or its own
// plus the upper bounds of its callees, ignoring overlaps. Functions with several symbols are also
// walked, unless the graph has more arcs than that; otherwise what each symbol dominates is added
// up, which is at most what all of them dominate together.
//
// Calls by uninstrumented code (a library, a file built without -pg) are in no arc. Such code is
// assumed to have been entered from every function that may call out of the counted code, and to
// have called every function with an unknown caller.
//
// Units: ticks. Ownership: borrows the graph. Thread contract: const members from any thread.
// Cost: construction is linear up to a logarithm; a query takes at most `most_steps`, plus reading
// the callee's callers; results are cached.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "engine/analysis/sample_errors.h"
#include "engine/callgraph/call_graph.h"
#include "engine/callgraph/dominators.h"

namespace gprof {

struct TimeBounds {
  Ticks low = 0;
  Ticks high = 0;
};

// Facts by symbol: 1 or 0; a missing entry means 0.
using SymbolFlags = FlatArray<std::uint8_t>;

// What the arcs do not show; empty if everything is counted.
struct UninstrumentedCode {
  SymbolFlags entered;  // is such code, or was called by it
  SymbolFlags leaves;   // may call such code
};

class BoundedTimes {
 public:
  // `graph` as estimated by gprof: only its calls and self times are used. `most_steps`: the most
  // arcs that one walk follows.
  BoundedTimes(const CallGraph& graph, UninstrumentedCode uncounted,
               const SampleErrors& errors = {}, std::size_t most_steps = default_steps);
  // What exchange() wrote for the same graph.
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

  // Everything but graph and errors, to or from a stored index.
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
  // Whether what exchange() read is valid for that many symbols.
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
  // Whether walks must not take the arc. Arcs into roots come from no_symbol.
  using Closed = std::function<bool(SymbolIndex from, SymbolIndex to)>;

  [[nodiscard]] TimeBounds widened(Ticks low, Ticks high) const;
  void find_roots();
  void find_dominators();
  void bound_by_callees();
  // Processes the component of the graph that starts there; returns where the next one does.
  std::size_t bound_component(std::size_t begin, Ticks& before);

  [[nodiscard]] std::vector<bool> reach(std::vector<SymbolIndex> from, const Closed& closed) const;
  [[nodiscard]] Ticks self_of_reached(Symbols from) const;
  [[nodiscard]] std::optional<Ticks> walk_from(Symbols from) const;
  [[nodiscard]] bool may_walk() const { return graph_.arcs().size() <= most_steps_; }
  // Of everything that runs but no walk from the program's roots reaches.
  [[nodiscard]] Ticks self_behind(const Closed& closed) const;
  // Of everything that one of these dominates.
  [[nodiscard]] Ticks self_behind(Symbols function) const;
  [[nodiscard]] bool is_entered_by(Symbols callers, SymbolIndex callee) const;

  const CallGraph& graph_;
  UninstrumentedCode uncounted_;
  const SampleErrors errors_;
  const std::size_t most_steps_;
  FlatArray<SymbolIndex> roots_;  // where the program begins: without known callers
  SymbolFlags is_root_;
  SymbolFlags behind_uncounted_;  // reachable from where uninstrumented code may enter
  Ticks self_behind_uncounted_ = 0;
  DominatorTree dominators_;
  FlatArray<Ticks> behind_;           // by symbol: self time of what it dominates
  FlatArray<Ticks> reaches_at_most_;  // by symbol, ignoring uncounted calls
  Ticks all_self_ = 0;

  static constexpr std::size_t most_kept = 16'384;
  mutable std::mutex mutex_;
  mutable std::map<std::vector<SymbolIndex>, Ticks> reached_;  // earlier results
};

}  // namespace gprof
