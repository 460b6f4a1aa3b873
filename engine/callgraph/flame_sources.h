// What flame trees grow from: nodes on demand, from stacks or from propagated time. A detail of
// flame_tree.h.
//
// Units: ticks. Ownership: a source borrows the parts. Thread contract: one thread; one source
// makes one tree.
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
  std::uint32_t origin = 0;  // what the source knows it by
};

class FlameSource {
 public:
  virtual ~FlameSource() = default;
  [[nodiscard]] virtual FlameChild root() = 0;
  // With at most the node's total less its self time; in any order.
  [[nodiscard]] virtual std::vector<FlameChild> children(const FlameChild& node) = 0;
};

// `function` as in FlameTreeRequest.
[[nodiscard]] std::unique_ptr<FlameSource> flames_of_stacks(const FlameTreeParts& parts,
                                                            std::span<const SymbolIndex> function);
[[nodiscard]] std::unique_ptr<FlameSource> flames_of_propagation(
    const FlameTreeParts& parts, std::span<const SymbolIndex> function);

}  // namespace gprof
