// libc's functions that wait for signals: they do not return the collector's signals to the
// program, but do return the program's own with the same number.
//
// Only in the shared library. Before the sampler has chosen a signal, all calls pass through.
// Thread contract: libc's.
#include <cerrno>
#include <cstdint>

#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>

#include "runtime/process/thread_state.h"
#include "runtime/sampling/clocks.h"
#include "runtime/sampling/kernel_signals.h"
#include "runtime/sampling/next_functions.h"
#include "runtime/sampling/perf_clock.h"
#include "runtime/sampling/program_signal.h"
#include "runtime/sampling/sampler.h"
#include "runtime/sampling/sources.h"
#include "runtime/system/message.h"
#include "runtime/system/readable.h"

namespace gprof_runtime::sampler {
namespace {

// One that cannot be read is refused by the next function.
bool is_readable(const sigset_t* set) {
  ReadableMemory memory;
  return memory.covers(reinterpret_cast<std::uint64_t>(set), sizeof(SignalMask));
}

// perf's signal is given back to a program that waits for it, as far as its other threads let us.
void give_back_awaited(const sigset_t& set) {
  if ((mask_of(set) & sampling_signals() & signal_bit(perf_clock_signal)) == 0) return;
  if (!in_sampled_process()) return;
  if (events_are_allowed()) give_up_perf_clock();
  // If another thread is just giving events up, it may not have reached this one's yet.
  if (ThreadState* thread = current_thread()) close_event(thread);
  // Otherwise it could arrive at this thread's handler instead.
  const SignalMask believed = program_mask(sampling_signals());
  change_mask(SIG_BLOCK, believed & signal_bit(perf_clock_signal));
}

bool holds_kept(const sigset_t* set) {
  if (sampling_signals() == 0 || !is_readable(set)) return false;
  give_back_awaited(*set);
  return (mask_of(*set) & sampling_signals()) != 0;
}

// Whether to wait again because the signal taken from the queue was the collector's.
bool is_to_be_repeated(int number, const siginfo_t& info) {
  if ((sampling_signals() & signal_bit(number)) == 0) return false;
  if (is_own_signal(number, &info)) {
    take_own_signal(&info);
    return true;
  }
  // It may have been really blocked when it arrived; unblock it for the next ones.
  if (number == tick_signal()) change_mask(SIG_UNBLOCK, signal_bit(number));
  return false;
}

// What is left of the `timeout` that the wait began with.
timespec time_left(std::uint64_t began, const timespec& timeout) {
  const std::uint64_t passed = read_clock(CLOCK_MONOTONIC) - began;
  const std::uint64_t wanted = nanoseconds(timeout);
  return time_of(passed < wanted ? wanted - passed : 0);
}

bool is_valid(const timespec& time) {
  constexpr time_t longest = 4000000000;  // in seconds; more is as good as forever
  return time.tv_sec >= 0 && time.tv_sec < longest && time.tv_nsec >= 0 &&
         time.tv_nsec < static_cast<long>(second);
}

int wait_for(const sigset_t* set, siginfo_t* information, const timespec* timeout) {
  const bool ends = timeout != nullptr && is_valid(*timeout);
  const std::uint64_t began = ends ? read_clock(CLOCK_MONOTONIC) : 0;
  timespec left = {};
  if (timeout != nullptr) left = *timeout;
  siginfo_t info;
  int number = 0;
  for (;;) {
    number = next_functions().sigtimedwait(set, &info, timeout != nullptr ? &left : nullptr);
    if (number < 0 || !is_to_be_repeated(number, info)) break;
    if (ends) left = time_left(began, *timeout);
  }
  if (number > 0 && information != nullptr) *information = info;
  return number;
}

// Whether the program names the signal, rather than all signals.
bool is_named(const sigset_t& set, int signal) {
  const SignalMask neighbours = signal_bit(signal - 1) | signal_bit(signal + 1);
  return (mask_of(set) & neighbours) != neighbours;
}

}  // namespace
}  // namespace gprof_runtime::sampler

using namespace gprof_runtime::sampler;

#define GPROF_EXPORTED extern "C" [[gnu::visibility("default")]]

GPROF_EXPORTED int sigtimedwait(const sigset_t* set, siginfo_t* information,
                                const timespec* timeout) {
  if (!holds_kept(set)) return next_functions().sigtimedwait(set, information, timeout);
  return wait_for(set, information, timeout);
}

GPROF_EXPORTED int sigwaitinfo(const sigset_t* set, siginfo_t* information) {
  if (!holds_kept(set)) return next_functions().sigwaitinfo(set, information);
  return wait_for(set, information, nullptr);
}

// Unlike the others, is not interrupted by handlers and returns its errors.
GPROF_EXPORTED int sigwait(const sigset_t* set, int* number) {
  if (!holds_kept(set)) return next_functions().sigwait(set, number);
  const int saved = errno;
  int result = 0;
  do {
    result = wait_for(set, nullptr, nullptr);
  } while (result < 0 && errno == EINTR);
  const int error = result < 0 ? errno : 0;
  errno = saved;
  if (result > 0) *number = result;
  return error;
}

// A descriptor reads any pending signal, which at any moment may be one of the collector's.
GPROF_EXPORTED int signalfd(int descriptor, const sigset_t* set, int flags) noexcept {
  const int kept = tick_signal();
  if (kept == 0 || !is_readable(set)) return next_functions().signalfd(descriptor, set, flags);
  give_back_awaited(*set);
  if ((mask_of(*set) & signal_bit(kept)) == 0) {
    return next_functions().signalfd(descriptor, set, flags);
  }
  if (is_named(*set, kept)) {
    gprof_runtime::report_problem("signalfd() does not see the signal used for sampling", nullptr,
                                  0);
  }
  sigset_t wanted = *set;
  sigdelset(&wanted, kept);
  return next_functions().signalfd(descriptor, &wanted, flags);
}
