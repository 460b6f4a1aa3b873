#include "runtime/sampling/sources.h"

#include <cerrno>
#include <cstdint>

#include <poll.h>
#include <signal.h>
#include <time.h>

#include "runtime/sampling/clocks.h"
#include "runtime/sampling/kernel_signals.h"
#include "runtime/sampling/perf_clock.h"
#include "runtime/sampling/process_timer.h"
#include "runtime/sampling/thread_timers.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::sampler {
namespace {

// Beside a perf event runs a slow timer that finds out when the program has closed its descriptor.
constexpr std::uint64_t watch_period = second / 20;

enum class ProcessTimer : std::uint32_t { off, running, suspended };

// Periods: written by choose_period() alone. The process's timer: by whoever arms it, and by its
// signals.
struct State {
  std::uint64_t period;
  std::uint64_t rate;
  bool perf_first;
  std::uint32_t own_sources;  // threads have had timers or events of their own
  ProcessTimer process_timer;
  std::uint64_t process_time_before;  // of all threads, when the process's timer started
  std::uint64_t process_samples;
};
State state;

// Of the thread's record, when the watching timer last came.
thread_local std::uint64_t watched_signals;

// The descriptor of this thread's last event, whose signal may come a moment after it was closed.
thread_local std::int32_t closed_event = -1;

// Comes with the signals of our timers; no other timer has this address to give.
std::uint64_t cookie() { return reinterpret_cast<std::uint64_t>(&state); }

std::uint32_t this_thread() { return static_cast<std::uint32_t>(sys::call(__NR_gettid)); }

bool is_timer_signal(const siginfo_t& info) {
  return info.si_code == SI_TIMER &&
         reinterpret_cast<std::uint64_t>(info.si_value.sival_ptr) == cookie();
}

bool is_of_event(const siginfo_t& info) {
  return info.si_code == POLL_IN || info.si_code == POLL_HUP;
}

bool is_event_signal(const ThreadState* thread, const siginfo_t& info) {
  return is_of_event(info) && thread != nullptr && thread->perf_event >= 0 &&
         info.si_fd == thread->perf_event;
}

bool is_late_event_signal(const siginfo_t& info) {
  return is_of_event(info) && closed_event >= 0 && info.si_fd == closed_event;
}

void name_source(SampleSource source) {
  LiveHeader* header = live::header();
  if (header != nullptr && header->sample_source == 0) {
    header->sample_source = static_cast<std::uint32_t>(source);
  }
}

long arm_timer(ThreadState* thread, int signal) {
  const std::int64_t timer = create_thread_timer(signal, cookie(), state.period);
  if (timer < 0) return static_cast<long>(timer);
  thread->timer = timer;
  name_source(SampleSource::thread_timers);
  return 0;
}

long arm_event(ThreadState* thread, int signal) {
  const int descriptor = open_perf_clock(signal, state.period);
  if (descriptor < 0) return descriptor;
  thread->perf_event = descriptor;
  watched_signals = thread->record->signals - 1;  // until the first watch, it works
  name_source(SampleSource::perf_clock);
  const std::int64_t timer = create_thread_timer(signal, cookie(), watch_period);
  thread->timer = timer < 0 ? -1 : timer;
  return 0;
}

// How many samples there should have been, less those that there were; at least this one. No more
// than a second's: longer gaps have other reasons than lateness.
std::uint64_t catch_up(std::uint64_t time, std::uint64_t samples) {
  const std::uint64_t due = (time + state.period / 2) / state.period;
  if (due <= samples + 1) return 1;
  return due - samples < state.rate ? due - samples : state.rate;
}

std::uint64_t process_timer_weight() {
  const std::uint64_t time = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  if (time <= state.process_time_before) return 1;
  // Two threads may do so at a time; the sum is right all the same.
  const std::uint64_t samples = __atomic_load_n(&state.process_samples, __ATOMIC_RELAXED);
  const std::uint64_t weight = catch_up(time - state.process_time_before, samples);
  __atomic_add_fetch(&state.process_samples, weight, __ATOMIC_RELAXED);
  return weight;
}

// Signals that were sent before their source was stopped would otherwise come when nothing is
// left that knows them.
void discard_pending(const ThreadState* thread, int signal) {
  const SignalMask mask = change_mask(SIG_BLOCK, signal_bit(signal));
  siginfo_t info;
  while (take_pending(signal, &info)) {
    if (is_from_own_source(thread, signal, info)) continue;
    make_pending(signal, info);
    break;
  }
  change_mask(SIG_SETMASK, mask);
}

void start_process_timer() {
  state.process_time_before = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  state.process_samples = 0;
  state.process_timer = ProcessTimer::running;
}

}  // namespace

void choose_period(std::uint32_t rate) {
  state.rate = rate;
  state.period = second / rate;
  state.perf_first = state.period < tick_period();
}

std::uint64_t sample_period() { return state.period; }

bool is_armed(const ThreadState* thread) { return thread->timer >= 0 || thread->perf_event >= 0; }

long arm_sources(ThreadState* thread, int signal) {
  if (state.process_timer != ProcessTimer::off) return -EBUSY;
  long armed = state.perf_first ? arm_event(thread, signal) : arm_timer(thread, signal);
  if (armed != 0) {
    const long first = armed;
    armed = state.perf_first ? arm_timer(thread, signal) : arm_event(thread, signal);
    if (armed != 0) return state.perf_first ? armed : first;
  }
  __atomic_store_n(&state.own_sources, 1, __ATOMIC_RELAXED);
  return 0;
}

void disarm_sources(ThreadState* thread, int signal) {
  if (!is_armed(thread)) return;
  // The handler closes the event, too, where it has lost it: not in between.
  const SignalMask mask = change_mask(SIG_BLOCK, signal_bit(signal));
  if (thread->timer >= 0) delete_thread_timer(thread->timer);
  if (thread->perf_event >= 0) {
    closed_event = thread->perf_event;
    close_perf_clock(thread->perf_event, signal, this_thread());
  }
  discard_pending(thread, signal);
  thread->timer = -1;
  thread->perf_event = -1;
  change_mask(SIG_SETMASK, mask);
}

void abandon_sources(ThreadState* thread, int signal) {
  if (thread->perf_event >= 0 && thread->record != nullptr) {
    forget_perf_clock(thread->perf_event, signal, thread->record->thread);
  }
  thread->timer = -1;
  thread->perf_event = -1;
  state.process_timer = ProcessTimer::off;
  state.own_sources = 0;
}

long arm_process_timer(const KernelAction& action) {
  if (state.process_timer != ProcessTimer::off) return 0;
  if (__atomic_load_n(&state.own_sources, __ATOMIC_RELAXED) != 0 || !process_timer_is_free()) {
    return -EBUSY;
  }
  if (!write_action(SIGPROF, action)) return -EPERM;
  start_process_timer();
  const long set = set_process_timer(state.period);
  if (!sys::failed(set)) {
    name_source(SampleSource::process_timer);
    return 0;
  }
  state.process_timer = ProcessTimer::off;
  write_action(SIGPROF, {});
  return set;
}

bool uses_process_timer() { return state.process_timer != ProcessTimer::off; }

void suspend_process_timer() {
  if (state.process_timer != ProcessTimer::running) return;
  set_process_timer(0);
  discard_pending(nullptr, SIGPROF);
  state.process_timer = ProcessTimer::suspended;
}

void resume_process_timer() {
  if (state.process_timer != ProcessTimer::suspended) return;
  start_process_timer();
  set_process_timer(state.period);
}

void end_process_timer() {
  suspend_process_timer();
  state.process_timer = ProcessTimer::off;
}

bool is_from_own_source(const ThreadState* thread, int signal, const siginfo_t& info) {
  if (signal == SIGPROF) {
    return info.si_code == SI_KERNEL && state.process_timer != ProcessTimer::off;
  }
  return is_timer_signal(info) || is_event_signal(thread, info) || is_late_event_signal(info);
}

bool is_sample(const ThreadState* thread, const siginfo_t& info) {
  if (is_of_event(info)) return is_event_signal(thread, info);
  return thread->perf_event < 0 || !is_timer_signal(info);
}

void watch_event(ThreadState* thread, int signal) {
  const bool works = thread->record->signals != watched_signals;
  watched_signals = thread->record->signals;
  if (works) return;
  // The program has closed the event, or all its files, or is in the kernel all the time, where the
  // event sees nothing: the timer does it from here on.
  closed_event = thread->perf_event;
  close_perf_clock(thread->perf_event, signal, this_thread());
  thread->perf_event = -1;
  set_thread_timer(thread->timer, state.period);
}

std::uint64_t weight_of(const ThreadRecord& record, const siginfo_t& info) {
  if (info.si_signo == SIGPROF) return process_timer_weight();
  if (info.si_code == SI_TIMER) return 1 + static_cast<std::uint64_t>(info.si_overrun);
  return catch_up(record.cpu_time, record.samples);
}

void let_next_come(ThreadState* thread, int signal, const siginfo_t& info) {
  if (!is_event_signal(thread, info)) return;
  // Where that fails, the watching timer finds that nothing comes any more.
  refresh_perf_clock(thread->perf_event, signal, this_thread());
}

}  // namespace gprof_runtime::sampler
