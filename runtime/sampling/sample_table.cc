#include "runtime/sampling/sample_table.h"

#include <cstdint>

#include "runtime/modules/modules.h"
#include "runtime/sampling/sliced_counts.h"

namespace gprof_runtime::sampler {

bool count_place(ThreadState* thread, std::uint64_t pc, std::uint64_t epoch, const Weight& weight,
                 std::uint64_t elapsed) {
  const SampleEntry sample = {.address = pc,
                              .epoch = epoch,
                              .thread = thread->record->number,
                              .slice = no_slice,
                              .count = weight.events,
                              .excess_variance = weight.excess_variance,
                              .kernel_count = weight.kernel_events};
  bool is_new = false;
  const bool counted =
      count_in_slice(thread->samples, ChunkKind::samples, thread->slot, sample, elapsed, &is_new);
  // Record it now: it may be unloaded when the profile is written.
  if (is_new) modules::of_address(pc);
  return counted;
}

}  // namespace gprof_runtime::sampler
