// Which nodes of a directed graph every path from its roots to a given node passes through: its
// dominators. They form a tree, and a node's subtree is what can only be reached through it.
// Lengauer and Tarjan 1979, "A fast algorithm for finding dominators in a flowgraph", with simple
// linking.
//
// Ownership: owns its arrays, keeps no reference. Thread contract: immutable. Errors: none.
// Cost: linear in nodes, logarithmic per arc; not recursive, as call chains may be deep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/support/flat_array.h"

namespace gprof {

// Successors of node i: targets[first[i]] to targets[first[i + 1] - 1].
struct ArcLists {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> targets;
};

class DominatorTree {
 public:
  DominatorTree() = default;
  DominatorTree(const ArcLists& successors, std::span<const std::uint32_t> roots);

  [[nodiscard]] bool is_reached(std::uint32_t node) const {
    return spans_[node].begin != spans_[node].end;
  }
  // Every reachable node dominates itself. False if either is unreachable.
  [[nodiscard]] bool dominates(std::uint32_t above, std::uint32_t node) const {
    return is_reached(node) && spans_[above].begin <= spans_[node].begin &&
           spans_[node].begin < spans_[above].end;
  }
  // Those of the nodes that are reachable and not dominated by another one of them.
  [[nodiscard]] std::vector<std::uint32_t> outermost(std::span<const std::uint32_t> nodes) const;
  // By node, the sum of `values`, one per node, over all it dominates; 0 for unreachable nodes.
  [[nodiscard]] std::vector<double> sums_behind(std::span<const double> values) const;

  // All of it, to or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    stream.array(self.spans_);
  }
  [[nodiscard]] std::size_t node_count() const { return spans_.size(); }

 private:
  // A node's subtree in preorder.
  struct Span {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  FlatArray<Span> spans_;  // by node
};

}  // namespace gprof
