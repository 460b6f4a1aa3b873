// Where samples fell, by thread and slice of time: a hash table per slot, in the live file.
//
// Thread contract: the sample handler of the thread that holds the slot; others may read.
#pragma once

#include <cstdint>

#include "runtime/process/thread_state.h"
#include "runtime/sampling/sample_clock.h"

namespace gprof_runtime::sampler {

// `elapsed`: the time of the sample. False if there is no memory for a new place.
bool count_place(ThreadState* thread, std::uint64_t pc, std::uint64_t epoch, const Weight& weight,
                 std::uint64_t elapsed);

}  // namespace gprof_runtime::sampler
