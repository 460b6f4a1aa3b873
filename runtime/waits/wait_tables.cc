#include "runtime/waits/wait_tables.h"

#include "runtime/sampling/sliced_counts.h"
#include "runtime/sampling/stack_table.h"
#include "runtime/sampling/timeline.h"

namespace gprof_runtime::waits {

using sampler::unknown_time;

namespace {

// How much of a time that is spread evenly over another one falls into a stretch of that.
class Spread {
 public:
  Spread(std::uint64_t part, std::uint64_t whole) : ratio_((part << precision) / whole) {}
  [[nodiscard]] std::uint64_t in(std::uint64_t stretch) const {
    return (stretch >> lost) * ratio_ >> (precision - lost);
  }

 private:
  // A stretch may be days, a part hours long.
  static constexpr unsigned precision = 18;
  static constexpr unsigned lost = 6;
  std::uint64_t ratio_;
};

// How many pieces a long wait is divided into, at most. Bounds the memory that all threads use
// together, ended ones included.
std::uint64_t max_pieces() {
  constexpr std::uint64_t max_pieces_of_all_threads = 16384;
  constexpr std::uint64_t min_pieces = 4;
  const std::uint64_t share = max_pieces_of_all_threads / (thread_slots() + 1);
  if (share > most_pieces) return most_pieces;
  return share > min_pieces ? share : min_pieces;
}

WaitCount* find_counted(ChunkHeader* chunk, WaitCount piece, std::uint64_t elapsed) {
  piece.slice = sampler::slice_at(elapsed, slice_width_of(*chunk));
  WaitCount* found = sampler::sliced_counts::find(chunk, piece);
  return found != nullptr && found->count != 0 ? found : nullptr;
}

}  // namespace

void make_tables(ThreadState* thread) {
  sampler::find_placeless_stack(thread);
  sampler::sliced_counts::prepare<WaitCount>(thread->waits.counts, ChunkKind::waits, thread->slot,
                                             sampler::slice_width_at(sampler::elapsed_time()));
}

WaitCount* add_wait(ThreadState* counting, const EndedWait& wait) {
  SlicedTable& table = counting->waits.counts;
  const auto add = [&](std::uint64_t elapsed, std::uint64_t count, bool is_last) {
    const WaitCount piece = {.stack = wait.stack,
                             .thread = wait.thread,
                             .slice = no_slice,
                             .function = wait.function,
                             .kind = wait.kind,
                             .count = count,
                             .times = is_last && wait.over == 0 ? 1U : 0U,
                             .longest = is_last && wait.over == 0 ? wait.waited : 0U};
    bool is_new = false;
    return sampler::count_in_slice(table, ChunkKind::waits, counting->slot, piece, elapsed, &is_new)
               ? find_counted(table.chunk, piece, elapsed)
               : nullptr;
  };
  const std::uint64_t end = sampler::elapsed_at(wait.ended);
  const std::uint64_t width = end != unknown_time ? sampler::slice_width_at(end) : 0;
  if (width == 0) return add(unknown_time, wait.waited, true);
  // What was waited before the process began, as its parent, counts for the first slice.
  const std::uint64_t span = wait.over > wait.waited ? wait.over : wait.waited;
  const Spread spread(wait.waited, span);
  const std::uint64_t begin = end > span ? end - span : 0;
  const std::uint64_t first = begin / width;
  const std::uint64_t slices = (end - 1) / width - first + 1;
  const std::uint64_t most = max_pieces();
  const std::uint64_t pieces = slices < most ? slices : most;
  std::uint64_t left = wait.waited;
  std::uint64_t from = begin;
  for (std::uint64_t i = 1; i < pieces; ++i) {
    const std::uint64_t to = (first + i * slices / pieces) * width;
    const std::uint64_t piece = span == wait.waited ? to - from : spread.in(to - from);
    if (piece != 0) add(from, piece, false);
    left -= piece;
    from = to;
  }
  WaitCount* last = add(from, left, true);
  return pieces == 1 ? last : nullptr;
}

bool add_to_counted(const ChunkHeader& chunk, WaitCount& count, const EndedWait& wait) {
  const std::uint64_t width = slice_width_of(chunk);
  const std::uint64_t end = sampler::elapsed_at(wait.ended);
  const bool same = count.stack == wait.stack && count.thread == wait.thread &&
                    count.function == wait.function && count.kind == wait.kind;
  if (!same || count.count == 0 || end == unknown_time || width == 0) return false;
  const std::uint64_t begin = count.slice * width;
  if (end < wait.waited || end - wait.waited < begin || end > begin + width) return false;
  // A signal handler may count there, too.
  __atomic_fetch_add(&count.count, wait.waited, __ATOMIC_RELAXED);
  __atomic_fetch_add(&count.times, 1, __ATOMIC_RELAXED);
  if (wait.waited > count.longest) {
    __atomic_store_n(&count.longest, wait.waited, __ATOMIC_RELAXED);
  }
  return true;
}

HolderCount* add_holder(ThreadState* counting, const HolderCount& holder) {
  SlicedTable& table = counting->waits.holders;
  bool is_new = false;
  if (!sampler::count_in_slice(table, ChunkKind::wait_holders, counting->slot, holder, unknown_time,
                               &is_new)) {
    return nullptr;
  }
  return sampler::sliced_counts::find(table.chunk, holder);
}

bool is_same_holder(const HolderCount& count, const HolderCount& holder) {
  return count.count != 0 && sampler::sliced_counts::same_key(count, holder);
}

void add_to_holder(HolderCount& count, const HolderCount& holder) {
  __atomic_fetch_add(&count.count, holder.count, __ATOMIC_RELAXED);
  __atomic_fetch_add(&count.times, holder.times, __ATOMIC_RELAXED);
}

}  // namespace gprof_runtime::waits
