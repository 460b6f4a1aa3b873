// A timer of the current thread's CPU time that sends it a signal at each of the kernel's ticks
// that strikes while the thread runs: the kernel looks at such timers at its ticks, and this one is
// always due.
//
// Thread contract: any thread, for its own timer; any signal handler.
#pragma once

#include <cstdint>

namespace gprof_runtime::sampler {

// Returns the kernel's number of the timer, or a negative error number. `cookie` comes with each
// signal.
std::int64_t create_thread_timer(int signal, std::uint64_t cookie);
void delete_thread_timer(std::int64_t timer);

// Of the kernel's tick.
std::uint64_t tick_period();

}  // namespace gprof_runtime::sampler
