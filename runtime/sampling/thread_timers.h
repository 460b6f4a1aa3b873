// A timer of the current thread's CPU time that sends it a signal at each of the kernel's ticks
// that strikes while it runs: the kernel checks such timers at its ticks, and this one is always
// due.
//
// Thread contract: any thread, for its own timer; any signal handler.
#pragma once

#include <cstdint>

namespace gprof_runtime::sampler {

// Returns the kernel's timer id, or a negative errno. Each signal carries `cookie`.
std::int64_t create_thread_timer(int signal, std::uint64_t cookie);
void delete_thread_timer(std::int64_t timer);

// The period of the kernel's tick.
std::uint64_t tick_period();

}  // namespace gprof_runtime::sampler
