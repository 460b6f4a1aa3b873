#include "runtime/sampling/filtered.h"

#include <linux/perf_event.h>

#include "runtime/process/thread_state.h"
#include "runtime/sampling/sampler.h"
#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::sampler {
namespace {

// By calls that another thread may make; the last signals come within a moment.
void stop_sources_of_others(const ThreadState* own) {
  bool any = false;
  for (ThreadState* thread = all_threads(); thread != nullptr; thread = thread->next) {
    if (thread == own || (thread->timer < 0 && thread->perf_event < 0)) continue;
    if (thread->timer >= 0) sys::call(__NR_timer_delete, static_cast<long>(thread->timer));
    if (thread->perf_event >= 0)
      sys::call(__NR_ioctl, thread->perf_event, PERF_EVENT_IOC_DISABLE, 0);
    any = true;
  }
  struct {
    std::int64_t seconds;
    std::int64_t nanoseconds;
  } const moment = {0, 2000000};
  if (any) sys::call(__NR_nanosleep, sys::word(&moment), 0);
}

}  // namespace

void prepare_for_filter(const seccomp::Filter& filter, bool whole_process) {
  ThreadState* thread = current_thread();
  if (signal_number() == 0 || thread == nullptr) return;
  constexpr long none[6] = {};
  if (!seccomp::forbids(filter, __NR_rt_sigreturn, none)) return;
  disarm_thread(thread);
  if (whole_process) stop_sources_of_others(thread);
  report_problem("no more samples: the program's own filter forbids what they need", nullptr, 0);
}

}  // namespace gprof_runtime::sampler
