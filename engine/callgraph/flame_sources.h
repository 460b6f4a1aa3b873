// Sources of flame trees: nodes on demand, from stacks or from propagated time. An implementation
// detail of flame_tree.h.
//
// Units: ticks. Ownership: a source borrows the parts. Thread contract: one thread; one source per
// tree.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/callgraph/flame_tree.h"

namespace gprof {

struct FlameChild {
  FlameFrame frame;
  Ticks self = 0;
  Ticks total = 0;
  std::uint32_t origin = 0;  // the source's identifier for it
};

class FlameSource {
 public:
  virtual ~FlameSource() = default;
  [[nodiscard]] virtual FlameChild root() = 0;
  // In any order; their sum is at most the node's total minus its self time.
  [[nodiscard]] virtual std::vector<FlameChild> children(const FlameChild& node) = 0;
};

// `function` as in FlameTreeRequest.
[[nodiscard]] std::unique_ptr<FlameSource> flames_of_stacks(const FlameTreeParts& parts,
                                                            std::span<const SymbolIndex> function);
[[nodiscard]] std::unique_ptr<FlameSource> flames_of_propagation(
    const FlameTreeParts& parts, std::span<const SymbolIndex> function);

}  // namespace gprof
