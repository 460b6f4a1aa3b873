// Handles sampling when the program installs a system call filter.
//
// Thread contract: the thread that installs it, just before it takes effect.
#pragma once

#include "runtime/system/seccomp_filter.h"

namespace gprof_runtime::sampler {

// Ends sampling of the threads that the filter applies to if it would not let them return from a
// signal handler, and reports that. (Other forbidden calls just fail: ticks continue without them.)
// When this returns, signals already sent have been delivered.
void prepare_for_filter(const seccomp::Filter& filter, bool whole_process);

}  // namespace gprof_runtime::sampler
