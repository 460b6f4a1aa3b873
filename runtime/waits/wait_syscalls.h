// Waits in calls that are made by syscall(), whose entry is process/filter_hooks.cc's.
//
// Thread contract: libc's.
#pragma once

#include <cstdint>

namespace gprof_runtime::waits {

// Whether waits of the current thread are measured.
bool measures_waits();

// Makes the call, futex or io_uring_enter, by libc's syscall(), and measures it if it waits.
// `place`: the return address of the call.
long measured_syscall(long (*next)(long, ...), std::uint64_t place, long number, long a, long b,
                      long c, long d, long e, long f);

}  // namespace gprof_runtime::waits
