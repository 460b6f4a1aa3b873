#include "runtime/sampling/sampler.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <ucontext.h>

#include "runtime/modules/modules.h"
#include "runtime/process/counted_program.h"
#include "runtime/process/own_stack.h"
#include "runtime/process/signal_block.h"
#include "runtime/process/thread_names.h"
#include "runtime/process/thread_search.h"
#include "runtime/sampling/clocks.h"
#include "runtime/sampling/interrupted.h"
#include "runtime/sampling/kernel_signals.h"
#include "runtime/sampling/perf_clock.h"
#include "runtime/sampling/process_timer.h"
#include "runtime/sampling/profil.h"
#include "runtime/sampling/program_signal.h"
#include "runtime/sampling/sample_clock.h"
#include "runtime/sampling/sample_table.h"
#include "runtime/sampling/sliced_counts.h"
#include "runtime/sampling/sources.h"
#include "runtime/sampling/stack_table.h"
#include "runtime/sampling/switch_cost.h"
#include "runtime/sampling/timeline.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/environment.h"
#include "runtime/system/message.h"
#include "runtime/system/syscalls.h"
#include "runtime/system/tracer.h"
#include "runtime/system/vdso.h"
#include "runtime/waits/cpu_waits.h"

namespace gprof_runtime::sampler {
namespace {

constexpr int preferred_signal = 62;
// How often a thread looks up its name, for the live file: the program may change it.
constexpr std::uint64_t samples_a_name = 16;
constexpr int lowest_signal = 35;  // libc reserves the real-time signals below

// Written by start() and abandon(), with one thread; `disabled` and `stopped` by any thread.
struct State {
  std::uint32_t process;
  std::int32_t signal;        // the tick's; stays the same in forked children; 0 before start()
  std::int32_t event_signal;  // perf's; 0: without a handler of ours
  std::uint32_t disabled;
  std::uint32_t stopped;
};
State state;

std::uint32_t this_process() { return static_cast<std::uint32_t>(sys::call(__NR_getpid)); }

bool is_disabled() { return __atomic_load_n(&state.disabled, __ATOMIC_RELAXED) != 0; }

void add_lost(std::uint64_t LiveHeader::*counter, std::uint64_t weight) {
  LiveHeader* header = live::header();
  if (header != nullptr) __atomic_add_fetch(&(header->*counter), weight, __ATOMIC_RELAXED);
}

// Adds the time up to now to the thread's; returns false while sampling is off, when it does not
// count.
bool note_time(ThreadState* thread, std::uint64_t now) {
  ThreadRecord* record = thread->record;
  if (is_disabled()) {
    if (now != 0) record->cpu_time_before = now - record->cpu_time;
    return false;
  }
  if (now > record->cpu_time_before) {
    __atomic_store_n(&record->cpu_time, now - record->cpu_time_before, __ATOMIC_RELAXED);
  }
  note_covered(thread, now);
  return true;
}

// The time since the last signal.
void note_end(ThreadState* thread, bool by_event) {
  const std::uint64_t now = thread_cpu_time();
  if (note_time(thread, now)) note_end_of_clock(thread, now, by_event);
}

void count_sample(ThreadState* thread, const ucontext_t& context, const Weight& weight) {
  ThreadRecord* record = thread->record;
  const std::uint64_t pc = interrupted_pc(context);
  const std::uint64_t epoch = modules::epoch();
  const std::uint64_t events = weight.events;
  count_profil(pc, events);
  const std::uint64_t elapsed = elapsed_time();
  if (!count_place(thread, pc, epoch, weight, elapsed)) {
    return add_lost(&LiveHeader::lost_samples, events);
  }
  if (record->signals % samples_a_name == 0) note_own_name(record);
  find_new_threads();
  __atomic_store_n(&record->samples, record->samples + events, __ATOMIC_RELAXED);
  __atomic_store_n(&record->signals, record->signals + 1, __ATOMIC_RELAXED);
  if (!wants_stacks()) return;
  Registers registers;
  read_registers(context, &registers);
  if (!count_stack(thread, registers, epoch, events, elapsed)) {
    add_lost(&LiveHeader::lost_stacks, events);
  }
}

// Longer than most samples take: the thread may not have run all the while.
constexpr std::uint64_t longest_undisturbed = 50000;

// When a sample ended that began at `begun`, by the thread's clock, and at `wall`, by the one that
// is read without a system call.
std::uint64_t end_of_sample(std::uint64_t begun, std::uint64_t wall) {
  const std::uint64_t passed = monotonic_time() - wall;
  return begun != 0 && wall != 0 && passed < longest_undisturbed ? begun + passed
                                                                 : thread_cpu_time();
}

void on_signal(int signal, siginfo_t* info, void* context);

KernelAction own_action(bool restart) {
  KernelAction action = {};
  action.handler = reinterpret_cast<std::uint64_t>(&on_signal);
  action.flags = SA_SIGINFO | SA_ONSTACK | (restart ? SA_RESTART : 0);
  action.mask = every_signal;
  return action;
}

bool is_own_action(const KernelAction& action) {
  return action.handler == reinterpret_cast<std::uint64_t>(&on_signal);
}

bool handler_is_in_place(int signal) {
  KernelAction action = {};
  return read_action(signal, &action) && is_own_action(action);
}

void take_strike(ThreadState* thread, Strike strike, const ucontext_t& context) {
  const std::uint64_t begun = thread_cpu_time();
  const std::uint64_t wall = monotonic_time();
  std::uint64_t ended = begun;
  std::uint64_t taken = 0;
  if (note_time(thread, begun)) {
    const Weight weight =
        strike == Strike::event
            ? weigh_event(thread, begun, interrupted_pc(context))
            : weigh_tick(thread, begun, interrupted_pc(context), thread->perf_event >= 0);
    // Without a clock, samples measure the time themselves.
    if (begun == 0) thread->record->cpu_time += weight.events * mean_interval();
    if (weight.events != 0) count_sample(thread, context, weight);
    ended = end_of_sample(begun, wall);
    if (ended > begun) taken = ended - begun;
  } else {
    forget_tick(thread, begun);
  }
  if (strike == Strike::event) {
    const std::uint64_t restarted = monotonic_time();
    begin_interval(thread, ended);
    taken += std::min(monotonic_time() - restarted, longest_undisturbed);
  } else {
    // The program may have replaced the handler without libc.
    if (thread->perf_event >= 0 && !handler_is_in_place(perf_clock_signal)) give_up_events();
    look_after_event(thread, ended);
    choose_source(thread, ended);
  }
  pace_ticks(thread);
  waits::look_at_sample(thread);
  if (taken != 0) note_taken(thread, taken);
}

void on_sample(int signal, const siginfo_t& info, const ucontext_t& context) {
  ThreadState* thread = current_thread();
  // The process timer also strikes threads that have counted nothing so far.
  if (thread == nullptr && signal == SIGPROF) thread = acquire_thread();
  const bool is_first = thread == nullptr;
  if (__atomic_load_n(&state.stopped, __ATOMIC_RELAXED) != 0) return;
  if (is_first) thread = claim_thread();
  // The thread may have released its slot before its last signal arrived.
  if (thread == nullptr || thread->record == nullptr || thread->in_sampler != 0) return;
  const Strike strike = strike_of(thread, info);
  if (strike == Strike::none) return;
  thread->in_sampler = 1;
  auto take = [&] {
    take_strike(thread, strike, context);
    if (is_first) add_event(thread);
  };
  run_on_own_stack(thread, take);
  thread->in_sampler = 0;
}

// Runs with every signal blocked, on any stack. Uses only system calls and the collector's own
// code, except for calling the program's handler.
void on_signal(int signal, siginfo_t* info, void* context) {
  auto* interrupted = static_cast<ucontext_t*>(context);
  if (!is_own_signal(signal, info)) return pass_on(signal, info, interrupted);
  const int saved = errno;
  ++signal_blocks;
  on_sample(signal, *info, *interrupted);
  --signal_blocks;
  errno = saved;
}

// The highest signal that neither the program nor its parent uses.
int choose_signal() {
  for (int signal = preferred_signal; signal >= lowest_signal; --signal) {
    KernelAction action = {};
    if (read_action(signal, &action) && action.handler == default_action) return signal;
  }
  return 0;
}

void report_no_samples(const char* where, int error) {
  report_problem("no samples can be taken", where, error);
}

bool program_ignores(int signal) {
  struct sigaction action;
  read_program_action(signal, &action);
  return action.sa_handler == SIG_IGN;
}

// Only if the system has perf's clock, and nobody has asked for an action for its signal.
void install_event_handler() {
  KernelAction action = {};
  if (!perf_clock_is_allowed() || !read_action(perf_clock_signal, &action)) return;
  if (action.handler != default_action) return;
  if (!write_action(perf_clock_signal, own_action(true))) return;
  set_switch_price(price_of_perf_clock(mean_interval()));
  __atomic_store_n(&state.event_signal, perf_clock_signal, __ATOMIC_RELEASE);
  allow_events();
}

template <class Act>
void for_each_signal(const Act& act) {
  if (state.signal != 0) act(state.signal);
  if (state.event_signal != 0) act(state.event_signal);
}

// Before an exec: what the new image is to inherit.
void present_as_believed(int signal) {
  if (program_blocks(signal)) change_mask(SIG_BLOCK, signal_bit(signal));
  KernelAction ignored = {};
  ignored.handler = ignored_action;
  if (program_ignores(signal) && handler_is_in_place(signal)) write_action(signal, ignored);
}

void take_back(int signal) {
  KernelAction action = {};
  if (read_action(signal, &action) && action.handler == ignored_action && program_ignores(signal)) {
    write_action(signal, own_action(true));
  }
  if (program_blocks(signal)) change_mask(SIG_UNBLOCK, signal_bit(signal));
}

// As far as the kernel says: each thread has a folder, beside the two that each folder has.
bool is_only_thread() {
  struct stat status = {};
  const sys::Result read =
      sys::call(__NR_newfstatat, AT_FDCWD, sys::word("/proc/self/task"), sys::word(&status), 0);
  return !sys::failed(read) && status.st_nlink == 3;
}

// Nothing of ours is left: the program's own action, and its own mask.
void return_event_signal() {
  const SignalMask mask = change_mask(SIG_BLOCK, signal_bit(perf_clock_signal));
  const SignalMask blocked = program_mask(sampling_signals());
  struct sigaction believed;
  read_program_action(perf_clock_signal, &believed);
  ThreadState* thread = current_thread();
  if (thread != nullptr) close_event(thread);
  KernelAction action = {};
  action.handler = believed.sa_handler == SIG_IGN ? ignored_action : default_action;
  if (handler_is_in_place(perf_clock_signal)) write_action(perf_clock_signal, action);
  __atomic_store_n(&state.event_signal, 0, __ATOMIC_RELEASE);
  change_mask(SIG_SETMASK, mask | (blocked & signal_bit(perf_clock_signal)));
}

}  // namespace

void start() {
  state.process = this_process();
  start_timeline();
  const std::uint32_t rate = choose_rate();
  live::header()->requested_rate = rate;
  if (rate == 0) return;
  if (state.signal == 0 && has_tracer()) {
    return note_problem("a debugger or tracer would see the signals of sampling");
  }
  if (state.signal != 0) return;  // a forked child: it has the parent's handler
  KernelAction action = {};
  if (!read_action(preferred_signal, &action)) return report_no_samples("rt_sigaction", EPERM);
  const int signal = choose_signal();
  if (signal == 0) return report_no_samples("every real-time signal is in use", 0);
  if (!write_action(signal, own_action(true))) return report_no_samples("rt_sigaction", EPERM);
  __atomic_store_n(&state.signal, signal, __ATOMIC_RELEASE);
  install_event_handler();
}

void note_first_mask(std::uint64_t mask) { note_previous_mask(mask); }

void arm_thread(ThreadState* thread) {
  if (state.signal == 0 || thread->record == nullptr || is_armed(thread)) return;
  if (sources_are_stopped()) return;
  ThreadRecord* record = thread->record;
  if (record->cpu_time_before == 0) record->cpu_time_before = thread_cpu_time();
  // The program may have replaced the handler by libc's internal functions or without libc.
  if (!handler_is_in_place(state.signal))
    return report_no_samples("the program took the sampling signal", 0);
  if (events_are_allowed() && !handler_is_in_place(perf_clock_signal)) give_up_events();
  const long armed = arm_sources(thread, state.signal);
  if (armed == 0) return;
  const long process_wide = arm_process_timer(own_action(true));
  if (process_wide != 0) report_no_samples("timer_create", static_cast<int>(-armed));
}

void arm_other_thread(ThreadState* thread, std::uint32_t number) {
  if (state.signal == 0 || sources_are_stopped() || !handler_is_in_place(state.signal)) return;
  arm_ticks_of_other(thread, state.signal, number);
}

void disarm_thread(ThreadState* thread) {
  if (state.signal == 0 || thread->record == nullptr) return;
  const bool armed = is_armed(thread) || uses_process_timer();
  const bool by_event = thread->perf_event >= 0;
  disarm_sources(thread, state.signal);
  if (armed) note_end(thread, by_event);
  leave_over(thread);
  thread->clock.interval = 0;
}

void note_progress() {
  const SignalMask mask = change_mask(SIG_BLOCK, every_signal);
  ThreadState* thread = current_thread();
  const bool sampled =
      thread != nullptr && thread->record != nullptr && (is_armed(thread) || uses_process_timer());
  if (state.signal != 0 && sampled) note_end(thread, thread->perf_event >= 0);
  change_mask(SIG_SETMASK, mask);
}

void pause() {
  if (state.signal == 0) return;
  if (in_sampled_process()) {
    ThreadState* thread = current_thread();
    if (thread != nullptr) disarm_thread(thread);
    suspend_process_timer();
  }
  for_each_signal(present_as_believed);
}

void resume() {
  if (state.signal == 0) return;
  for_each_signal(take_back);
  if (!in_sampled_process()) return;
  resume_process_timer();
  ThreadState* thread = current_thread();
  if (thread != nullptr) arm_thread(thread);
}

void set_enabled(bool enabled) {
  __atomic_store_n(&state.disabled, enabled ? 0 : 1, __ATOMIC_RELAXED);
}

void stop() {
  note_progress();
  set_enabled(false);
  __atomic_store_n(&state.stopped, 1, __ATOMIC_RELAXED);
}

int set_profil_buffer(unsigned short* buffer, std::size_t size, std::size_t offset,
                      unsigned scale) {
  const bool on = buffer != nullptr && scale != 0;
  change_profil_buffer({on ? buffer : nullptr, on ? size / sizeof *buffer : 0, offset, scale});
  if (on) acquire_thread();
  return 0;
}

int tick_signal() { return __atomic_load_n(&state.signal, __ATOMIC_ACQUIRE); }

std::uint64_t sampling_signals() {
  const int ticks = tick_signal();
  const int events = __atomic_load_n(&state.event_signal, __ATOMIC_ACQUIRE);
  return (ticks != 0 ? signal_bit(ticks) : 0) | (events != 0 ? signal_bit(events) : 0);
}

std::uint64_t without_signal(std::uint64_t mask) {
  const SignalMask process_wide = uses_process_timer() ? signal_bit(SIGPROF) : 0;
  return state.signal == 0 ? mask : mask & ~(sampling_signals() | process_wide);
}

bool in_sampled_process() { return this_process() == state.process; }

bool is_own_signal(int signal, const void* information) {
  return is_from_own_source(current_thread(), signal, *static_cast<const siginfo_t*>(information));
}

void take_own_signal(const void* information) {
  ThreadState* thread = current_thread();
  const siginfo_t& info = *static_cast<const siginfo_t*>(information);
  if (thread == nullptr || strike_of(thread, info) != Strike::event) return;
  add_lost(&LiveHeader::lost_samples, thread->clock.events);
  begin_interval(thread, thread_cpu_time());
}

void restart_system_calls(int signal, bool restart) {
  if (handler_is_in_place(signal)) write_action(signal, own_action(restart));
}

void give_up_perf_clock() {
  give_up_events();
  if (is_only_thread()) return_event_signal();
}

void give_up_process_timer() {
  KernelAction action = {};
  if (!uses_process_timer()) return;
  end_process_timer();
  if (read_action(SIGPROF, &action) && is_own_action(action)) write_action(SIGPROF, {});
  report_no_samples("the program uses SIGPROF or ITIMER_PROF itself", 0);
}

void abandon() {
  for (ThreadState* thread = all_threads(); thread != nullptr; thread = thread->next) {
    abandon_sources(thread);
    drop_stack_table(thread);
    thread->samples = {};
    thread->in_sampler = 0;
  }
  abandon_sliced_counts();
  abandon_profil();
  abandon_program_action_lock();
}

}  // namespace gprof_runtime::sampler
