// What each thread has of the sampled stacks of what is exported, for formats that keep threads
// apart.
//
// Units: ticks. Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/selection.h"
#include "engine/snapshot.h"
#include "engine/support/units.h"

namespace gprof::lsp {

struct ThreadStacks {
  struct Count {
    std::uint32_t stack = 0;  // its number in the snapshot's StackSamples
    Ticks ticks = 0;
  };

  RecordedThread thread;
  std::vector<Count> counts;  // ascending by stack; without those that the thread has not

  [[nodiscard]] Ticks of(std::size_t stack) const;
};

// For each thread in the snapshot's selection. Empty if the profile does not distinguish threads,
// or recounting its functions for each of them would take too long.
[[nodiscard]] std::vector<ThreadStacks> stacks_by_thread(
    const std::shared_ptr<const Snapshot>& snapshot);

}  // namespace gprof::lsp
