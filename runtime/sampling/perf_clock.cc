#include "runtime/sampling/perf_clock.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>

#include "formats/sampling_event.h"
#include "runtime/sampling/clocks.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::sampler {
namespace {

// Out of the way of programs that expect low descriptor numbers.
constexpr long high_descriptor = 500;

// fcntl.h defines these only with some feature macros.
constexpr long set_signal = 10;    // F_SETSIG
constexpr long get_signal = 11;    // F_GETSIG
constexpr long set_owner_ex = 15;  // F_SETOWN_EX
constexpr long get_owner_ex = 16;  // F_GETOWN_EX
struct Owner {
  std::int32_t type;  // 0: a thread
  std::int32_t id;
};

// Each event takes a descriptor from the program: leave it most of them.
bool descriptors_suffice(long descriptor) {
  constexpr std::uint64_t share = 8;
  rlimit limit = {};
  const sys::Result read = sys::call(__NR_prlimit64, 0, RLIMIT_NOFILE, 0, sys::word(&limit));
  if (sys::failed(read)) return true;
  return static_cast<std::uint64_t>(descriptor - high_descriptor) < limit.rlim_cur / share;
}

// A program that may have fewer descriptors than usual gets them all: there is no high number that
// it does not look at.
bool has_usual_descriptors() {
  constexpr std::uint64_t usual = 1024;
  rlimit limit = {};
  const sys::Result read = sys::call(__NR_prlimit64, 0, RLIMIT_NOFILE, 0, sys::word(&limit));
  return sys::failed(read) || limit.rlim_cur >= usual;
}

long open_event(std::uint64_t interval) {
  if (!has_usual_descriptors()) return -EMFILE;
  perf_event_attr attributes = gprof_formats::sampling_event(interval);
  return sys::call(__NR_perf_event_open, sys::word(&attributes), 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

// Gives the descriptor a high number. If that is impossible, there is none: the program would be
// given other numbers for its own files than without the collector.
long move_out_of_the_way(long descriptor) {
  const long moved = sys::call(__NR_fcntl, descriptor, F_DUPFD_CLOEXEC, high_descriptor);
  sys::call(__NR_close, descriptor);
  return moved;
}

long start_event(long descriptor) {
  // Set the signal before O_ASYNC; otherwise the event would send SIGIO.
  const Owner owner = {0, static_cast<std::int32_t>(sys::call(__NR_gettid))};
  long result = sys::call(__NR_fcntl, descriptor, set_owner_ex, sys::word(&owner));
  if (!sys::failed(result))
    result = sys::call(__NR_fcntl, descriptor, set_signal, perf_clock_signal);
  if (!sys::failed(result)) result = sys::call(__NR_fcntl, descriptor, F_SETFL, O_ASYNC);
  if (!sys::failed(result)) result = sys::call(__NR_ioctl, descriptor, PERF_EVENT_IOC_REFRESH, 1);
  return result;
}

// Hardly any other descriptor of a program sends this signal.
bool sends_signal(long descriptor) {
  return sys::call(__NR_fcntl, descriptor, get_signal) == perf_clock_signal;
}

}  // namespace

bool is_perf_clock(int descriptor, std::uint32_t thread) {
  if (!sends_signal(descriptor)) return false;
  Owner owner = {};
  if (sys::failed(sys::call(__NR_fcntl, descriptor, get_owner_ex, sys::word(&owner)))) return false;
  return owner.type == 0 && static_cast<std::uint32_t>(owner.id) == thread;
}

bool perf_clock_is_allowed() {
  const long descriptor = open_event(second);
  if (sys::failed(descriptor)) return false;
  sys::call(__NR_close, descriptor);
  return true;
}

std::uint64_t price_of_perf_clock(std::uint64_t interval) {
  constexpr int measurements = 3;
  const long descriptor = open_event(interval);
  if (sys::failed(descriptor)) return 0;
  std::uint64_t least = second;
  std::uint64_t calls = second;
  for (int i = 0; i < measurements; ++i) {
    const std::uint64_t begun = read_clock(CLOCK_MONOTONIC);
    sys::call(__NR_ioctl, descriptor, PERF_EVENT_IOC_ENABLE, 0);
    sys::call(__NR_ioctl, descriptor, PERF_EVENT_IOC_DISABLE, 0);
    const std::uint64_t ended = read_clock(CLOCK_MONOTONIC);
    // The cost of the two calls themselves, which a context switch does not make.
    sys::call(__NR_fcntl, descriptor, get_signal);
    sys::call(__NR_fcntl, descriptor, get_signal);
    calls = std::min(calls, read_clock(CLOCK_MONOTONIC) - ended);
    least = std::min(least, ended - begun);
  }
  sys::call(__NR_close, descriptor);
  return least > calls ? least - calls : 0;
}

int open_perf_clock(std::uint64_t interval) {
  long descriptor = open_event(interval);
  if (sys::failed(descriptor)) return static_cast<int>(descriptor);
  descriptor = move_out_of_the_way(descriptor);
  if (sys::failed(descriptor)) return static_cast<int>(descriptor);
  const long started = descriptors_suffice(descriptor) ? start_event(descriptor) : -EMFILE;
  if (!sys::failed(started)) return static_cast<int>(descriptor);
  sys::call(__NR_close, descriptor);
  return static_cast<int>(started);
}

bool restart_perf_clock(int descriptor, std::uint64_t interval) {
  return sends_signal(descriptor) &&
         !sys::failed(
             sys::call(__NR_ioctl, descriptor, PERF_EVENT_IOC_PERIOD, sys::word(&interval))) &&
         !sys::failed(sys::call(__NR_ioctl, descriptor, PERF_EVENT_IOC_REFRESH, 1));
}

void pause_perf_clock(int descriptor) {
  sys::call(__NR_ioctl, descriptor, PERF_EVENT_IOC_DISABLE, 0);
}

void close_perf_clock(int descriptor, std::uint32_t thread) {
  if (!is_perf_clock(descriptor, thread)) return;
  // A child that was just forked may still have the event open, which keeps it alive.
  pause_perf_clock(descriptor);
  sys::call(__NR_fcntl, descriptor, F_SETFL, 0);
  sys::call(__NR_close, descriptor);
}

void forget_perf_clock(int descriptor, std::uint32_t thread) {
  if (is_perf_clock(descriptor, thread)) sys::call(__NR_close, descriptor);
}

}  // namespace gprof_runtime::sampler
