// The monotonic clock, read without a system call where the kernel allows it: through the vdso,
// whose function is found once. Not through libc's, which a program may have replaced.
//
// Thread contract: find_fast_clock() before the first thread; monotonic_time() any thread, any
// signal handler. Errors: 0 if the kernel, or a filter of the program, refuses.
#pragma once

#include <cstdint>

namespace gprof_runtime {

void find_fast_clock();

// Nanoseconds since some moment.
std::uint64_t monotonic_time();

}  // namespace gprof_runtime
