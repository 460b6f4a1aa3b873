// Orders the nodes of a graph so that each comes after all it reaches, as far as possible, which is
// up to the first cycles. Nodes without successors come first; removing them leaves others without,
// and so on. Each next node is known well ahead and can be prefetched, where a depth-first search
// waits for memory at every node.
//
// Thread contract: a pure function. Cost: linear in nodes and arcs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gprof {

// The predecessors of node i are predecessors[first[i]] to predecessors[first[i + 1] - 1], one per
// arc to i, excluding i itself. `successor_counts`: by node, for the same arcs. Nodes left out
// reach a cycle.
[[nodiscard]] std::vector<std::uint32_t> leaves_first(std::span<const std::uint32_t> predecessors,
                                                      std::span<const std::uint32_t> first,
                                                      std::vector<std::uint32_t> successor_counts);

}  // namespace gprof
