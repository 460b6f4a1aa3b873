// Where samples fell: a hash table per slot, in the live file.
//
// Thread contract: the sample handler of the thread that holds the slot; others may read.
#pragma once

#include <cstdint>

#include "runtime/process/thread_state.h"
#include "runtime/sampling/sample_clock.h"

namespace gprof_runtime::sampler {

// False if there is no memory for a new place.
bool count_place(ThreadState* thread, std::uint64_t pc, std::uint64_t epoch, const Weight& weight);

}  // namespace gprof_runtime::sampler
