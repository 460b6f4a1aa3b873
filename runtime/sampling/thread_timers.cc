#include "runtime/sampling/thread_timers.h"

#include <cerrno>
#include <cstdint>

#include <time.h>

#include "runtime/sampling/clocks.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::sampler {
namespace {

// The kernel's struct sigevent; libc's has no portable name for the thread.
struct KernelEvent {
  std::uint64_t value;
  std::int32_t signal;
  std::int32_t notify;
  std::int32_t thread;
  std::int32_t unused[11];
};
static_assert(sizeof(KernelEvent) == 64);
constexpr std::int32_t notify_thread = 4;  // SIGEV_THREAD_ID

// The most common period, if the kernel does not tell.
constexpr std::uint64_t usual_tick = second / 250;

// Shorter than any time that a thread runs.
constexpr std::uint64_t shortest_interval = 1000;

bool start(std::int64_t timer, std::uint64_t interval) {
  itimerspec times = {};
  times.it_interval = time_of(interval);
  times.it_value = times.it_interval;
  return !sys::failed(sys::call(__NR_timer_settime, timer, 0, sys::word(&times), 0));
}

}  // namespace

std::int64_t create_thread_timer(int signal, std::uint64_t cookie, std::uint32_t thread) {
  KernelEvent event = {};
  event.value = cookie;
  event.signal = signal;
  event.notify = notify_thread;
  event.thread = static_cast<std::int32_t>(thread);
  std::int32_t timer = -1;
  const sys::Result created =
      sys::call(__NR_timer_create, cpu_clock_of(thread), sys::word(&event), sys::word(&timer));
  if (sys::failed(created)) return created;
  if (start(timer, shortest_interval)) return timer;
  delete_thread_timer(timer);
  return -EPERM;  // a system call filter; the kernel itself has no reason to refuse
}

bool pace_thread_timer(std::int64_t timer, std::uint32_t stride, std::uint64_t tick_period) {
  // A little less than the ticks take: they strike a little before and after the full time.
  return start(timer, stride > 1 ? stride * tick_period - tick_period / 2 : shortest_interval);
}

void delete_thread_timer(std::int64_t timer) { sys::call(__NR_timer_delete, timer); }

std::uint64_t tick_period() {
  timespec resolution = {};
  const sys::Result read =
      sys::call(__NR_clock_getres, CLOCK_MONOTONIC_COARSE, sys::word(&resolution));
  const std::uint64_t period = sys::failed(read) ? 0 : nanoseconds(resolution);
  return period != 0 ? period : usual_tick;
}

}  // namespace gprof_runtime::sampler
