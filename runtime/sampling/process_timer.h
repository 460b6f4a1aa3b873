// setitimer(ITIMER_PROF) and SIGPROF: the last resort, as the process has only one of each. SIGPROF
// comes at each of the kernel's ticks that strikes one of the threads; if two are struck at the
// same time, one signal may represent both.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstdint>

#include "runtime/sampling/kernel_signals.h"

namespace gprof_runtime::sampler {

// Whether the program uses neither the timer nor the signal, as far as the kernel knows. A forked
// child has the handler `own` of its parent.
bool process_timer_is_free(const KernelAction& own);
// Returns a negative errno on failure.
long start_process_timer();
void stop_process_timer();

}  // namespace gprof_runtime::sampler
