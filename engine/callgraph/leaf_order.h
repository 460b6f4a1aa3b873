// Nodes of a graph one behind the other, each behind all that it reaches: as far as there is such
// an order, which ends where cycles begin. Nodes without successors come first; with them taken
// away, others have none left, and so on. What comes next is known a while before, and can be
// fetched from memory meanwhile, where a search that goes back and forth waits for every node.
//
// Thread contract: a pure function. Cost: linear in nodes and arcs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gprof {

// The predecessors of node i are predecessors[first[i]] to predecessors[first[i + 1] - 1], each as
// often as it has arcs to i, and none of them i itself. `successor_counts`: by node, of the same
// arcs. What is left out reaches a cycle.
[[nodiscard]] std::vector<std::uint32_t> leaves_first(std::span<const std::uint32_t> predecessors,
                                                      std::span<const std::uint32_t> first,
                                                      std::vector<std::uint32_t> successor_counts);

}  // namespace gprof
