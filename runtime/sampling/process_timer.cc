#include "runtime/sampling/process_timer.h"

#include <cstdint>

#include <signal.h>
#include <sys/time.h>

#include "runtime/sampling/kernel_signals.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::sampler {

bool process_timer_is_free() {
  KernelAction action = {};
  if (!read_action(SIGPROF, &action) || action.handler != default_action) return false;
  itimerval times = {};
  if (sys::failed(sys::call(__NR_getitimer, ITIMER_PROF, sys::word(&times)))) return false;
  return times.it_value.tv_sec == 0 && times.it_value.tv_usec == 0;
}

long set_process_timer(std::uint64_t period) {
  itimerval times = {};
  times.it_interval.tv_sec = static_cast<time_t>(period / 1000000000);
  times.it_interval.tv_usec = static_cast<suseconds_t>(period % 1000000000 / 1000);
  times.it_value = times.it_interval;
  return sys::call(__NR_setitimer, ITIMER_PROF, sys::word(&times), 0);
}

}  // namespace gprof_runtime::sampler
