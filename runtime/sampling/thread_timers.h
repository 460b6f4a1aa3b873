// A timer of a thread's CPU time that sends it a signal at each of the kernel's ticks
// that strikes while it runs, or at each of so many: the kernel checks such timers at its ticks,
// and this one is always due.
//
// Thread contract: any thread, for its own timer; any signal handler.
#pragma once

#include <cstdint>

namespace gprof_runtime::sampler {

// Returns the kernel's timer id, or a negative errno. Each signal carries `cookie`. `thread`: of
// this process, whose timer it is.
std::int64_t create_thread_timer(int signal, std::uint64_t cookie, std::uint32_t thread);
void delete_thread_timer(std::int64_t timer);
// From now on only each `stride`th tick sends a signal. False if the system refuses.
bool pace_thread_timer(std::int64_t timer, std::uint32_t stride, std::uint64_t tick_period);

// The period of the kernel's tick.
std::uint64_t tick_period();

}  // namespace gprof_runtime::sampler
