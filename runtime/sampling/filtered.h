// What becomes of samples when the program installs a filter of system calls.
//
// Thread contract: the thread that installs it, just before it takes effect.
#pragma once

#include "runtime/system/seccomp_filter.h"

namespace gprof_runtime::sampler {

// Ends the samples of the threads that the filter is for, where it would not let them return from a
// signal handler. Says so in the one line. (What else it forbids is refused as any call may be:
// ticks go on without.) Signals that were sent already have come when this returns.
void prepare_for_filter(const seccomp::Filter& filter, bool whole_process);

}  // namespace gprof_runtime::sampler
