#include "runtime/sampling/sources.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include <poll.h>
#include <signal.h>

#include "runtime/sampling/clocks.h"
#include "runtime/sampling/kernel_signals.h"
#include "runtime/sampling/perf_clock.h"
#include "runtime/sampling/process_timer.h"
#include "runtime/sampling/sample_clock.h"
#include "runtime/sampling/switch_cost.h"
#include "runtime/sampling/thread_timers.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/environment.h"
#include "runtime/system/syscalls.h"
#include "runtime/system/vdso.h"

namespace gprof_runtime::sampler {
namespace {

// The highest cheap rates, for an automatic rate: perf's clock strikes at any rate, but a tick
// represents several events above its own rate.
constexpr std::uint32_t rate_by_events = 1000;
constexpr std::uint32_t rate_by_ticks = 100;

// A signal of the tick costs as much as one of perf's clock. Beside that, ticks only choose among
// system calls, and most programs compute for long without one. At a low rate there are few samples
// to place, and ticks would soon cost more than these: the fewer samples, the sooner ticks rest.
constexpr std::uint32_t most_user_ticks = 32;
constexpr std::uint32_t least_user_ticks = 4;
constexpr std::uint32_t resting_stride = 8;

enum class ProcessTimer : std::uint32_t { off, running, suspended };

// The process timer's state is written when it is armed and by its signals.
struct State {
  std::uint32_t own_sources;  // threads have had timers or events of their own
  ProcessTimer process_timer;
  std::uint32_t stopped;  // by any thread
  std::uint32_t user_ticks_to_rest;
  std::uint32_t events_allowed;
};
State state;

// The descriptor of this thread's last event, whose signal may arrive just after it was closed.
thread_local std::int32_t closed_event = -1;

// Identifies the signals of our timers; no other timer passes this address.
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
  if (header == nullptr || header->sample_source != 0) return;
  header->sample_source = static_cast<std::uint32_t>(source);
  header->sampling.tick_period = tick_period();
}

long arm_ticks(ThreadState* thread, int signal, std::uint32_t number) {
  const std::int64_t timer = create_thread_timer(signal, cookie(), number);
  thread->clock.stride = 1;
  thread->timer = timer < 0 ? -1 : timer;
  return timer < 0 ? static_cast<long>(timer) : 0;
}

long arm_event(ThreadState* thread) {
  if (!events_are_allowed()) return -EPERM;
  const std::uint64_t interval = draw_interval(thread, thread_cpu_time());
  const int descriptor = open_perf_clock(interval);
  if (descriptor < 0) return descriptor;
  __atomic_store_n(&thread->perf_event, descriptor, __ATOMIC_SEQ_CST);
  // Another thread that gave events up in the meantime may have missed this one.
  if (events_are_allowed()) return 0;
  close_event(thread);
  return -EPERM;
}

// From now on only ticks sample the thread.
void leave_event(ThreadState* thread) {
  leave_over(thread);
  closed_event = thread->perf_event;
  thread->perf_event = -1;
  thread->clock.interval = 0;
}

// Signals sent before their source was stopped would otherwise arrive when nothing recognises them
// any more.
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

}  // namespace

std::uint32_t choose_rate() {
  std::uint32_t rate = settings().rate;
  if (settings().automatic_rate) rate = perf_clock_is_allowed() ? rate_by_events : rate_by_ticks;
  if (rate != 0) set_clock(second / rate, tick_period(), settings().sample_price);
  const std::uint64_t in_proportion = std::uint64_t{most_user_ticks} * rate / rate_by_events;
  state.user_ticks_to_rest = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(in_proportion, least_user_ticks, most_user_ticks));
  return rate;
}

bool is_armed(const ThreadState* thread) { return thread->timer >= 0 || thread->perf_event >= 0; }

long arm_sources(ThreadState* thread, int signal) {
  if (state.process_timer != ProcessTimer::off) return -EBUSY;
  start_clock(thread, thread_cpu_time());
  const long ticks = arm_ticks(thread, signal, this_thread());
  thread->clock.window.on_ticks = ticks == 0 && events_are_allowed() && threads_switch_much();
  const long event = thread->clock.window.on_ticks != 0 ? -EAGAIN : arm_event(thread);
  if (ticks != 0 && event != 0) return ticks;
  name_source(event == 0 ? SampleSource::perf_clock : SampleSource::thread_timers);
  __atomic_store_n(&state.own_sources, 1, __ATOMIC_RELAXED);
  return 0;
}

bool arm_ticks_of_other(ThreadState* thread, int signal, std::uint32_t number) {
  if (state.process_timer != ProcessTimer::off) return false;
  prepare_clock(thread);
  if (arm_ticks(thread, signal, number) != 0) return false;
  name_source(SampleSource::thread_timers);
  __atomic_store_n(&state.own_sources, 1, __ATOMIC_RELAXED);
  return true;
}

void add_event(ThreadState* thread) {
  if (thread->perf_event >= 0 || sources_are_stopped()) return;
  begin_switch_window(thread, {thread_cpu_time(), monotonic_time()});
  thread->clock.window.on_ticks = events_are_allowed() && threads_switch_much();
  if (thread->clock.window.on_ticks == 0) arm_event(thread);
}

void disarm_sources(ThreadState* thread, int signal) {
  if (!is_armed(thread)) return;
  // Blocked, because the handler, too, closes the event if it has lost it.
  const SignalMask mask =
      change_mask(SIG_BLOCK, signal_bit(signal) | signal_bit(perf_clock_signal));
  if (thread->timer >= 0) delete_thread_timer(thread->timer);
  if (thread->perf_event >= 0) {
    closed_event = thread->perf_event;
    close_perf_clock(thread->perf_event, this_thread());
    discard_pending(thread, perf_clock_signal);
  }
  discard_pending(thread, signal);
  thread->timer = -1;
  thread->perf_event = -1;
  change_mask(SIG_SETMASK, mask);
}

void abandon_sources(ThreadState* thread) {
  if (thread->perf_event >= 0 && thread->record != nullptr) {
    forget_perf_clock(thread->perf_event, thread->record->thread);
  }
  thread->timer = -1;
  thread->perf_event = -1;
  state.process_timer = ProcessTimer::off;
  state.own_sources = 0;
}

bool stop_sources_of_others(const ThreadState* own) {
  // Set first: begin_interval() checks it after restarting the event.
  __atomic_store_n(&state.stopped, 1, __ATOMIC_SEQ_CST);
  bool any = uses_process_timer();
  suspend_process_timer();
  for (ThreadState* thread = all_threads(); thread != nullptr; thread = thread->next) {
    if (thread == own || !is_armed(thread)) continue;
    if (thread->timer >= 0) delete_thread_timer(thread->timer);
    if (thread->perf_event >= 0) pause_perf_clock(thread->perf_event);
    any = true;
  }
  return any;
}

void close_event(ThreadState* thread) {
  if (thread->perf_event < 0) return;
  // A tick's handler may close it, too: before this, but not in the middle of it.
  const SignalMask mask = change_mask(SIG_BLOCK, every_signal);
  if (thread->perf_event >= 0) {
    close_perf_clock(thread->perf_event, this_thread());
    discard_pending(thread, perf_clock_signal);
    leave_event(thread);
  }
  change_mask(SIG_SETMASK, mask);
}

void allow_events() { __atomic_store_n(&state.events_allowed, 1, __ATOMIC_SEQ_CST); }

void give_up_events() {
  // Cleared first: threads check it after they have opened or restarted their events.
  if (__atomic_exchange_n(&state.events_allowed, 0, __ATOMIC_SEQ_CST) == 0) return;
  for (ThreadState* thread = all_threads(); thread != nullptr; thread = thread->next) {
    const std::int32_t event = __atomic_load_n(&thread->perf_event, __ATOMIC_SEQ_CST);
    if (event < 0 || thread->record == nullptr) continue;
    if (is_perf_clock(event, thread->record->thread)) pause_perf_clock(event);
  }
}

bool events_are_allowed() { return __atomic_load_n(&state.events_allowed, __ATOMIC_SEQ_CST) != 0; }

bool sources_are_stopped() { return __atomic_load_n(&state.stopped, __ATOMIC_SEQ_CST) != 0; }

long arm_process_timer(const KernelAction& action) {
  if (state.process_timer != ProcessTimer::off) return 0;
  if (__atomic_load_n(&state.own_sources, __ATOMIC_RELAXED) != 0 ||
      !process_timer_is_free(action)) {
    return -EBUSY;
  }
  if (!write_action(SIGPROF, action)) return -EPERM;
  state.process_timer = ProcessTimer::running;
  const long started = start_process_timer();
  if (!sys::failed(started)) {
    name_source(SampleSource::process_timer);
    return 0;
  }
  state.process_timer = ProcessTimer::off;
  write_action(SIGPROF, {});
  return started;
}

bool uses_process_timer() { return state.process_timer != ProcessTimer::off; }

void suspend_process_timer() {
  if (state.process_timer != ProcessTimer::running) return;
  stop_process_timer();
  discard_pending(nullptr, SIGPROF);
  state.process_timer = ProcessTimer::suspended;
}

void resume_process_timer() {
  if (state.process_timer != ProcessTimer::suspended || sources_are_stopped()) return;
  state.process_timer = ProcessTimer::running;
  start_process_timer();
}

void end_process_timer() {
  suspend_process_timer();
  state.process_timer = ProcessTimer::off;
}

bool is_from_own_source(const ThreadState* thread, int signal, const siginfo_t& info) {
  if (signal == SIGPROF) {
    return info.si_code == SI_KERNEL && state.process_timer != ProcessTimer::off;
  }
  if (signal == perf_clock_signal) {
    return is_event_signal(thread, info) || is_late_event_signal(info);
  }
  return is_timer_signal(info);
}

Strike strike_of(const ThreadState* thread, const siginfo_t& info) {
  if (!is_of_event(info)) return Strike::tick;
  return is_event_signal(thread, info) ? Strike::event : Strike::none;
}

void begin_interval(ThreadState* thread, std::uint64_t now) {
  if (events_are_allowed() && restart_perf_clock(thread->perf_event, draw_interval(thread, now))) {
    if (sources_are_stopped() || !events_are_allowed()) pause_perf_clock(thread->perf_event);
    return;
  }
  close_perf_clock(thread->perf_event, this_thread());
  leave_event(thread);
}

void look_after_event(ThreadState* thread, std::uint64_t now) {
  if (thread->perf_event < 0) return;
  if (!events_are_allowed()) return close_event(thread);
  if (is_perf_clock(thread->perf_event, this_thread())) {
    if (event_is_lost(*thread, now)) begin_interval(thread, now);
    return;
  }
  leave_event(thread);
}

void choose_source(ThreadState* thread, std::uint64_t now) {
  std::uint32_t& on_ticks = thread->clock.window.on_ticks;
  const bool has_event = thread->perf_event >= 0;
  if (thread->timer < 0 || !events_are_allowed() || sources_are_stopped()) return;
  if (!has_event && on_ticks == 0) return;
  const SwitchTimes times{now, monotonic_time()};
  const SourceChange change = judge_switches(thread, times, has_event);
  if (change == SourceChange::none) return;
  if (change == SourceChange::to_ticks) close_event(thread);
  on_ticks = change == SourceChange::to_ticks || arm_event(thread) != 0 ? 1 : 0;
  begin_switch_window(thread, times);
}

void pace_ticks(ThreadState* thread) {
  const bool by_event =
      thread->perf_event >= 0 && thread->clock.user_ticks >= state.user_ticks_to_rest;
  const std::uint32_t stride = by_event ? resting_stride : 1;
  if (stride == thread->clock.stride || thread->timer < 0 || sources_are_stopped()) return;
  if (pace_thread_timer(thread->timer, stride, tick_period())) thread->clock.stride = stride;
}

}  // namespace gprof_runtime::sampler
