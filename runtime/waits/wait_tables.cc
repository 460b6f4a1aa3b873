#include "runtime/waits/wait_tables.h"

#include "runtime/sampling/sliced_counts.h"
#include "runtime/sampling/timeline.h"

namespace gprof_runtime::waits {

using sampler::unknown_time;

void add_wait(ThreadState* counting, const EndedWait& wait) {
  SlicedTable& table = counting->waits.counts;
  const auto add = [&](std::uint64_t elapsed, std::uint64_t count, bool is_last) {
    const WaitCount piece = {.stack = wait.stack,
                             .thread = wait.thread,
                             .slice = no_slice,
                             .function = wait.function,
                             .kind = wait.kind,
                             .count = count,
                             .times = is_last ? 1U : 0U,
                             .longest = is_last ? wait.waited : 0U};
    bool is_new = false;
    sampler::count_in_slice(table, ChunkKind::waits, counting->slot, piece, elapsed, &is_new);
  };
  const std::uint64_t end = sampler::elapsed_at(wait.ended);
  const std::uint64_t width = end != unknown_time ? sampler::slice_width_at(end) : 0;
  if (width == 0) return add(unknown_time, wait.waited, true);
  // What was waited before the process began, as its parent, counts for the first slice.
  const std::uint64_t begin = end > wait.waited ? end - wait.waited : 0;
  const std::uint64_t first = begin / width;
  const std::uint64_t slices = (end - 1) / width - first + 1;
  const std::uint64_t pieces = slices < most_pieces ? slices : most_pieces;
  std::uint64_t left = wait.waited;
  std::uint64_t from = begin;
  for (std::uint64_t i = 1; i < pieces; ++i) {
    const std::uint64_t to = (first + i * slices / pieces) * width;
    add(from, to - from, false);
    left -= to - from;
    from = to;
  }
  add(from, left, true);
}

void add_holder(ThreadState* counting, const HolderCount& holder) {
  bool is_new = false;
  sampler::count_in_slice(counting->waits.holders, ChunkKind::wait_holders, counting->slot, holder,
                          unknown_time, &is_new);
}

}  // namespace gprof_runtime::waits
