#include "runtime/sampling/process_timer.h"

#include <cstdint>

#include <signal.h>
#include <sys/time.h>

#include "runtime/system/syscalls.h"

namespace gprof_runtime::sampler {
namespace {

sys::Result set_timer(suseconds_t microseconds) {
  itimerval times = {};
  times.it_interval.tv_usec = microseconds;
  times.it_value = times.it_interval;
  // Tried again: a timer that is not stopped survives exec and ends the next image by SIGPROF.
  return sys::call_insisting(__NR_setitimer, ITIMER_PROF, sys::word(&times), 0);
}

}  // namespace

bool process_timer_is_free(const KernelAction& own) {
  KernelAction action = {};
  if (!read_action(SIGPROF, &action)) return false;
  if (action.handler != default_action && action.handler != own.handler) return false;
  itimerval times = {};
  if (sys::failed(sys::call(__NR_getitimer, ITIMER_PROF, sys::word(&times)))) return false;
  return times.it_value.tv_sec == 0 && times.it_value.tv_usec == 0;
}

// Shorter than the time between two ticks, so that it is always due.
long start_process_timer() { return set_timer(1); }

void stop_process_timer() { set_timer(0); }

}  // namespace gprof_runtime::sampler
