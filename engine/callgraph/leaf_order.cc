#include "engine/callgraph/leaf_order.h"

#include <cstddef>

namespace gprof {

std::vector<std::uint32_t> leaves_first(std::span<const std::uint32_t> predecessors,
                                        std::span<const std::uint32_t> first,
                                        std::vector<std::uint32_t> successor_counts) {
  std::vector<std::uint32_t> order;
  order.reserve(successor_counts.size());
  for (std::uint32_t node = 0; node < successor_counts.size(); ++node) {
    if (successor_counts[node] == 0) order.push_back(node);
  }
  constexpr std::size_t step = 8;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + 2 * step < order.size()) __builtin_prefetch(&first[order[i + 2 * step]]);
    if (i + step < order.size()) {
      __builtin_prefetch(predecessors.data() + first[order[i + step]]);
    }
    const std::uint32_t node = order[i];
    for (const std::uint32_t caller :
         predecessors.subspan(first[node], first[node + 1] - first[node])) {
      if (--successor_counts[caller] == 0) order.push_back(caller);
    }
  }
  return order;
}

}  // namespace gprof
