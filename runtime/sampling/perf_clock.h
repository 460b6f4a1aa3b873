// perf's software clock of the current thread: samples at rates above the kernel's tick, taken in
// user mode only.
//
// An event gives one signal and then waits for refresh_perf_clock(). So at most one signal of it is
// ever pending: signals that pile up beyond the user's limit would become SIGIO, and end the
// program. The event is a file descriptor that the program may close, or give another meaning:
// nothing is done to a number before the kernel has said that it still is ours.
//
// Thread contract: any thread, for its own event; any signal handler.
#pragma once

#include <cstdint>

namespace gprof_runtime::sampler {

// Opens and starts it. Returns the descriptor, or a negative error number.
int open_perf_clock(int signal, std::uint64_t period);
// Lets it give the next signal. False where the descriptor is not ours any more.
bool refresh_perf_clock(int descriptor, int signal, std::uint32_t thread);
// Stops and closes it where it is the given thread's event still.
void close_perf_clock(int descriptor, int signal, std::uint32_t thread);
// Closes a forked child's copy; the parent's event goes on.
void forget_perf_clock(int descriptor, int signal, std::uint32_t thread);

}  // namespace gprof_runtime::sampler
