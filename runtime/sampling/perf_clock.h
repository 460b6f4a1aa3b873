// perf's software clock of the current thread: strikes in user mode only, after as much CPU time as
// is asked for, whatever the kernel's tick.
//
// An event gives one signal and then waits for restart_perf_clock(). So at most one signal of it is
// ever pending: signals that pile up beyond the user's limit would become SIGIO, and end the
// program. The event is a file descriptor that the program may close, or give another meaning:
// nothing is done to a number before the kernel has said that it still is ours.
//
// Thread contract: any thread, for its own event; any signal handler.
#pragma once

#include <cstdint>

namespace gprof_runtime::sampler {

// Whether the system lets this process have one.
bool perf_clock_is_allowed();
// Opens and starts it; the first signal comes after `interval`. Returns the descriptor, or a
// negative error number.
int open_perf_clock(int signal, std::uint64_t interval);
// Whether the descriptor is the given thread's event still.
bool is_perf_clock(int descriptor, int signal, std::uint32_t thread);
// The next signal comes after `interval`. False where the descriptor is not ours any more.
bool restart_perf_clock(int descriptor, int signal, std::uint32_t thread, std::uint64_t interval);
// It strikes no more until it is restarted. Any thread's.
void pause_perf_clock(int descriptor);
// Stops and closes it where it is the given thread's event still.
void close_perf_clock(int descriptor, int signal, std::uint32_t thread);
// Closes a forked child's copy; the parent's event goes on.
void forget_perf_clock(int descriptor, int signal, std::uint32_t thread);

}  // namespace gprof_runtime::sampler
