// The order of the arcs in a call graph entry: arcs of a function to itself are lowest, then those
// inside a cycle, by count; then by time, then by count; then the oldest.
//
// Ownership: an ArcOrder borrows the graph; its results are valid until the next call. Thread
// contract: an ArcOrder belongs to one thread; is_internal_arc() is a pure function.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/callgraph/call_graph.h"

namespace gprof {

// From a function to itself, or between members of one cycle: such calls carry no time.
[[nodiscard]] bool is_internal_arc(const CallGraph& graph, const GraphArc& arc);

class ArcOrder {
 public:
  explicit ArcOrder(const CallGraph& graph) : graph_(graph) {}

  [[nodiscard]] std::span<const ArcIndex> callers_rising(SymbolIndex symbol);
  [[nodiscard]] std::span<const ArcIndex> callees_falling(SymbolIndex symbol);

 private:
  // An arc with its sort keys.
  struct SortedArc {
    std::uint32_t kind = 0;  // to itself, inside a cycle, any other
    std::uint32_t age = 0;   // 0 is the oldest
    Ticks time = 0;
    std::uint64_t count = 0;
    ArcIndex index = 0;
  };
  void collect(std::span<const ArcIndex> newest_first);
  [[nodiscard]] SortedArc sorted_arc(ArcIndex index) const;
  [[nodiscard]] std::span<const ArcIndex> taken();

  const CallGraph& graph_;
  std::vector<SortedArc> arcs_;
  std::vector<ArcIndex> order_;
};

}  // namespace gprof
