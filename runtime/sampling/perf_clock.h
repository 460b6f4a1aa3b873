// perf's software clock of the current thread: strikes only in user mode, after the requested CPU
// time, independently of the kernel's tick.
//
// An event sends one signal and then waits for restart_perf_clock(). So at most one of its signals
// is ever pending: signals piling up beyond the user's limit would become SIGIO and end the
// program. The event is a file descriptor, which the program may close or reuse: a number is used
// only after the kernel has confirmed that it is still ours.
//
// A system call may take 2 us, in a virtual machine: at each strike there are as few as can be.
//
// Thread contract: any thread, for its own event; any signal handler.
#pragma once

#include <cstdint>

namespace gprof_runtime::sampler {

// Whether the system lets this process open one.
bool perf_clock_is_allowed();
// Opens and starts it; the first signal comes after `interval`. Returns the descriptor, or a
// negative error number.
int open_perf_clock(int signal, std::uint64_t interval);
// Whether the descriptor is still the given thread's event.
bool is_perf_clock(int descriptor, int signal, std::uint32_t thread);
// At the event's own signal: the next one comes after `interval`. False if the descriptor is no
// longer an event of ours. (It may be another thread's: then that one has its next signal early.)
bool restart_perf_clock(int descriptor, int signal, std::uint64_t interval);
// Stops it until it is restarted. May be another thread's.
void pause_perf_clock(int descriptor);
// Stops and closes it if it is still the given thread's event.
void close_perf_clock(int descriptor, int signal, std::uint32_t thread);
// Closes a forked child's copy; the parent's event continues.
void forget_perf_clock(int descriptor, int signal, std::uint32_t thread);

}  // namespace gprof_runtime::sampler
