#include "runtime/sampling/filtered.h"

#include <cstddef>
#include <cstdint>

#include <fcntl.h>

#include "runtime/process/thread_state.h"
#include "runtime/sampling/kernel_signals.h"
#include "runtime/sampling/sampler.h"
#include "runtime/sampling/sources.h"
#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::sampler {
namespace {

// Signals pending for one thread, from /proc; none if it cannot be read.
SignalMask pending_signals(std::uint32_t thread) {
  Text<64> path;
  path.add("/proc/self/task/").add(thread).add("/status");
  char text[4096];
  const sys::Result file =
      sys::call(__NR_openat, AT_FDCWD, sys::word(path.c_str()), O_RDONLY | O_CLOEXEC);
  if (sys::failed(file)) return 0;
  const sys::Result length = sys::call(__NR_read, file, sys::word(text), sizeof text);
  sys::call(__NR_close, file);
  constexpr char field[] = "SigPnd:\t";
  constexpr std::size_t field_size = sizeof field - 1;
  constexpr std::size_t digits = 16;
  const std::size_t size = sys::failed(length) ? 0 : static_cast<std::size_t>(length);
  for (std::size_t at = 0; at + field_size + digits <= size; ++at) {
    if (__builtin_memcmp(text + at, field, field_size) != 0) continue;
    SignalMask pending = 0;
    for (std::size_t i = at + field_size; i < at + field_size + digits; ++i) {
      const char digit = text[i];
      pending =
          pending << 4 | static_cast<SignalMask>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
    return pending;
  }
  return 0;
}

// Whether another thread is in the sample handler or has a pending sampling signal.
bool any_is_struck(const ThreadState* own) {
  const SignalMask sampling = sampling_signals();
  for (ThreadState* thread = all_threads(); thread != nullptr; thread = thread->next) {
    if (thread == own || thread->record == nullptr || thread->record->ended != 0) continue;
    if (__atomic_load_n(&thread->in_sampler, __ATOMIC_ACQUIRE) != 0) return true;
    if ((pending_signals(thread->record->thread) & sampling) != 0) return true;
  }
  return false;
}

void wait_a_moment() {
  struct {
    std::int64_t seconds;
    std::int64_t nanoseconds;
  } const moment = {0, 2000000};
  sys::call(__NR_nanosleep, sys::word(&moment), 0);
}

// A thread that is not running takes its signals when it runs next.
void wait_for_last_signals(const ThreadState* own) {
  constexpr int most_moments = 250;
  for (int i = 0; i < most_moments && any_is_struck(own); ++i) wait_a_moment();
  wait_a_moment();  // for the return from a handler
}

}  // namespace

void prepare_for_filter(const seccomp::Filter& filter, bool whole_process) {
  ThreadState* thread = current_thread();
  if (tick_signal() == 0 || thread == nullptr) return;
  constexpr long none[6] = {};
  if (!seccomp::forbids(filter, __NR_rt_sigreturn, none)) return;
  disarm_thread(thread);
  if (whole_process && stop_sources_of_others(thread)) wait_for_last_signals(thread);
  report_problem("no more samples: the program's own filter forbids what they need", nullptr, 0);
}

}  // namespace gprof_runtime::sampler
