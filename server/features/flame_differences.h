// Compares the nodes of a flame tree with those of the base, matched by their names along the path.
//
// Times are per run. All nodes are judged together, with the drift that the program's functions
// tell (Comparison::conditions()), as is how much they vary from run to run. A node that
// the base may have, among those that were left out of its tree, is not compared. Bounded: the
// base's tree has at most `most_base_nodes` nodes. Units: seconds. Ownership: plain values. Thread
// contract: pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/callgraph/flame_tree.h"
#include "server/features/flame_names.h"
#include "server/protocol/graph_answers.h"
#include "server/sources/loaded_program.h"

namespace gprof::lsp {

inline constexpr std::size_t most_base_nodes = 100'000;

class FlameDifferences {
 public:
  // Of `tree`, which was built of `input` for `request`. Compares nothing unless the program has a
  // base whose tree is made of the same: stacks, or gprof's propagation.
  FlameDifferences(const LoadedProgram& program, const FlameInput& input, const FlameTree& tree,
                   const FlameTreeRequest& request, bool demangle);

  [[nodiscard]] bool compared() const { return !nodes_.empty(); }
  // By the index of a node.
  [[nodiscard]] const std::optional<DifferenceData>& of(std::uint32_t node) const {
    return nodes_[node].difference;
  }
  // Callees that only the base has there, most time first, at most ten; and the time of all of
  // them.
  [[nodiscard]] const std::vector<GoneCallee>& gone(std::uint32_t node) const {
    return nodes_[node].gone;
  }
  [[nodiscard]] double gone_seconds(std::uint32_t node) const { return nodes_[node].gone_seconds; }

 private:
  struct Node {
    std::optional<DifferenceData> difference;
    std::vector<GoneCallee> gone;
    double gone_seconds = 0;
  };
  class Matcher;

  std::vector<Node> nodes_;  // one per node of the tree; empty: not compared
};

}  // namespace gprof::lsp
