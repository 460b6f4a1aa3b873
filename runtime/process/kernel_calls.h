// Implements the functions of process/next_calls.h by system calls alone: for static programs,
// where no other definition follows the collector's, and for functions that the process's libc
// lacks.
//
// Results and errno as of the functions of libc with these names. Thread contract: any thread, any
// signal handler, children of vfork.
#pragma once

#include "runtime/process/next_calls.h"

namespace gprof_runtime {

extern const NextCalls kernel_calls __attribute__((visibility("hidden")));

}  // namespace gprof_runtime
