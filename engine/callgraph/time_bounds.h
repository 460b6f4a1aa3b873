// Between what the time of a function, or of an arc, must lie, whatever each call cost.
//
// Of calls that were counted only their number is known; gprof's estimate takes every call of a
// function to have cost the same. What is certain is the graph: a function's total is at least the
// self time of all that nobody reaches but through it, and at most that of all that it reaches; an
// arc's is at least what nobody reaches but through it, and at most what both its caller and its
// callee may have. Each is widened by three standard deviations, 3√n of n samples.
//
// Calls by code that counts none (a library, a file built without -pg) are in no arc. Such code is
// taken to have been entered from every function that may call out of the counted code, and to have
// called whatever somebody called without being known.
//
// Units: ticks. Ownership: borrows the graph. Thread contract: const members from any thread.
// Cost: each answer is a walk of the whole graph.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/callgraph/call_graph.h"

namespace gprof {

struct TimeBounds {
  Ticks low = 0;
  Ticks high = 0;
};

// What the arcs do not say, by symbol; empty where everything is counted.
struct UncountedCode {
  std::vector<bool> entered;  // it is such code, or was called by it
  std::vector<bool> leaves;   // it may call such code
};

class BoundedTimes {
 public:
  // `graph` as gprof estimates it: only its calls and self times are looked at.
  BoundedTimes(const CallGraph& graph, UncountedCode uncounted);

  // Of symbols that are one function.
  [[nodiscard]] TimeBounds total(std::span<const SymbolIndex> function) const;
  // Of all calls from one function to the other.
  [[nodiscard]] TimeBounds arc(std::span<const SymbolIndex> caller,
                               std::span<const SymbolIndex> callee) const;

 private:
  using Symbols = std::span<const SymbolIndex>;
  // The arc is not taken in a walk.
  using Closed = std::function<bool(SymbolIndex from, SymbolIndex to)>;

  [[nodiscard]] std::vector<bool> reach(std::vector<SymbolIndex> from, const Closed& closed) const;
  [[nodiscard]] Ticks self_of_reached(Symbols from) const;
  // Of all that runs, and that no walk from where the program begins reaches.
  [[nodiscard]] Ticks self_behind(const Closed& closed) const;

  const CallGraph& graph_;
  const UncountedCode uncounted_;
  std::vector<SymbolIndex> entered_;  // by code that counts no calls
  std::vector<SymbolIndex> roots_;    // where the program begins: what nobody is known to call
  std::vector<bool> runs_;            // is reached when no arc is closed
};

}  // namespace gprof
