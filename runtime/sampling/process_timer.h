// setitimer(ITIMER_PROF) and SIGPROF: the last resort, as the process has but one of each.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstdint>

namespace gprof_runtime::sampler {

// Whether the program uses neither the timer nor the signal, as far as the kernel knows.
bool process_timer_is_free();
// Negative error number on failure. A period of 0 stops it.
long set_process_timer(std::uint64_t period);

}  // namespace gprof_runtime::sampler
