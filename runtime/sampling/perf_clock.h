// perf's software clock of the current thread: strikes only in user mode, after the requested CPU
// time, independently of the kernel's tick.
//
// An event sends one signal and then waits for restart_perf_clock(). The event is a file
// descriptor, which the program may close or reuse: a number is used only after the kernel has
// confirmed that it is still ours.
//
// The signal is SIGURG. Where the kernel cannot queue an event's signal, it sends SIGIO instead,
// which ends the program; and any process of the user may fill the queue. That never happens to the
// signals below the real-time ones: the kernel delivers what it sends itself, whatever the limits.
// Among these, SIGURG is ignored unless the program asks for it, so that one which finds no handler
// does no harm; and hardly any program asks for it. If one does, events are given up for ticks.
//
// A system call may take 2 us, in a virtual machine: at each strike there are as few as can be.
//
// Thread contract: any thread, for its own event; any signal handler.
#pragma once

#include <cstdint>

#include <signal.h>

namespace gprof_runtime::sampler {

inline constexpr int perf_clock_signal = SIGURG;

// Whether the system lets this process open one.
bool perf_clock_is_allowed();
// The time the kernel needs to stop the current thread's clock and start it again, as at a context
// switch: the minimum of a few measurements, which take some 30 us together.
std::uint64_t price_of_perf_clock(std::uint64_t interval);
// Opens and starts it; the first signal comes after `interval`. Returns the descriptor, or a
// negative error number.
int open_perf_clock(std::uint64_t interval);
// Whether the descriptor is still the given thread's event.
bool is_perf_clock(int descriptor, std::uint32_t thread);
// At the event's own signal: the next one comes after `interval`. False if the descriptor is no
// longer an event of ours. (It may be another thread's: then that one has its next signal early.)
bool restart_perf_clock(int descriptor, std::uint64_t interval);
// Stops it until it is restarted. May be another thread's.
void pause_perf_clock(int descriptor);
// Stops and closes it if it is still the given thread's event.
void close_perf_clock(int descriptor, std::uint32_t thread);
// Closes a forked child's copy; the parent's event continues.
void forget_perf_clock(int descriptor, std::uint32_t thread);

}  // namespace gprof_runtime::sampler
