// A timer of the current thread's CPU time that sends it a signal.
//
// Thread contract: any thread, for its own timer; any signal handler.
#pragma once

#include <cstdint>

namespace gprof_runtime::sampler {

// Returns the kernel's number of the timer, or a negative error number. `cookie` comes with each
// signal.
std::int64_t create_thread_timer(int signal, std::uint64_t cookie, std::uint64_t period);
bool set_thread_timer(std::int64_t timer, std::uint64_t period);
void delete_thread_timer(std::int64_t timer);

// The shortest period of such timers: the kernel looks at them at each of its ticks.
std::uint64_t tick_period();

}  // namespace gprof_runtime::sampler
