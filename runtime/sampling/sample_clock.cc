#include "runtime/sampling/sample_clock.h"

#include <algorithm>
#include <cstdint>

#include <sys/resource.h>

#include "runtime/sampling/random_events.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/readable.h"
#include "runtime/system/syscalls.h"

namespace gprof_runtime::sampler {
namespace {

// Events closer to each other share one signal. The kernel's work for a signal takes 3 us, ten
// times that in a virtual machine, and perf's clock accepts no less than 10 us.
constexpr std::uint64_t shortest_interval = 50000;
// A longer delay is not explained by the kernel's work for the signal.
constexpr std::uint64_t longest_delivery = 100000;

// Times are sums over all threads.
struct State {
  std::uint64_t mean_interval;
  std::uint64_t tick_period;
  std::uint64_t passed_over;  // by events
  std::uint64_t placed;       // by ticks, out of passed_over
};
State state;

void add(std::uint64_t SamplingQuality::*figure, std::uint64_t amount) {
  LiveHeader* header = live::header();
  if (header != nullptr && amount != 0) {
    __atomic_add_fetch(&(header->sampling.*figure), amount, __ATOMIC_RELAXED);
  }
}

// The kernel's accounts of the thread.
struct Accounts {
  std::uint64_t sleeps;       // voluntary context switches
  std::uint64_t kernel_time;  // most kernels count ticks, and scale them to the CPU time
  bool known;
};

Accounts read_accounts() {
  constexpr long of_thread = 1;  // RUSAGE_THREAD
  rusage usage = {};
  if (sys::failed(sys::call(__NR_getrusage, of_thread, sys::word(&usage)))) return {};
  const std::uint64_t microseconds = static_cast<std::uint64_t>(usage.ru_stime.tv_sec) * 1000000 +
                                     static_cast<std::uint64_t>(usage.ru_stime.tv_usec);
  return {static_cast<std::uint64_t>(usage.ru_nvcsw), microseconds * 1000, true};
}

// Whether the instruction is a system call. The address need not be readable code.
bool is_system_call(ReadableMemory& memory, std::uint64_t address) {
#if defined(__x86_64__)
  constexpr std::uint64_t size = 2;
  if (!memory.covers(address, size)) return false;
  return ReadableMemory::read_byte_unchecked(address) == 0x0f &&
         ReadableMemory::read_byte_unchecked(address + 1) == 0x05;
#else
  constexpr std::uint8_t supervisor_call[] = {0x01, 0x00, 0x00, 0xd4};  // svc #0
  if (!memory.covers(address, sizeof supervisor_call)) return false;
  for (std::uint64_t i = 0; i < sizeof supervisor_call; ++i) {
    if (ReadableMemory::read_byte_unchecked(address + i) != supervisor_call[i]) return false;
  }
  return true;
#endif
}

// A signal that arrives during a system call is handled when the call returns or before it is
// restarted.
bool is_at_system_call(std::uint64_t pc) {
#if defined(__x86_64__)
  constexpr std::uint64_t size = 2;
#else
  constexpr std::uint64_t size = 4;
#endif
  ReadableMemory memory;
  return is_system_call(memory, pc - size) || is_system_call(memory, pc);
}

// 0 while the interval lasts.
std::uint64_t late_by(const SampleClock& clock, std::uint64_t now) {
  const std::uint64_t passed = now > clock.started ? now - clock.started : 0;
  return clock.interval != 0 && passed > clock.interval ? passed - clock.interval : 0;
}

// What happened since the last look.
struct Passed {
  std::uint64_t time;
  std::uint64_t kernel_time;  // at most `time`
  bool slept;
  bool ticked;  // it began with a tick
};

Passed look(SampleClock* clock, std::uint64_t now) {
  const Accounts accounts = read_accounts();
  const bool begun = clock->looked != 0 && now > clock->looked;
  Passed passed = {begun ? now - clock->looked : 0, accounts.kernel_time - clock->kernel_time,
                   accounts.sleeps != clock->sleeps, begun && clock->ticked != 0};
  if (!accounts.known || passed.kernel_time > passed.time) passed.kernel_time = passed.time;
  clock->looked = now;
  clock->ticked = 0;
  clock->sleeps = accounts.sleeps;
  clock->kernel_time = accounts.kernel_time;
  return passed;
}

// Adds a time as a number of samples, randomly rounded up or down.
void add_in_step(SampleClock* clock, std::uint64_t time) {
  add(&SamplingQuality::tick_samples,
      (time + random_below(&clock->random, state.mean_interval)) / state.mean_interval);
}

// How long the system call took that a tick struck in. Kernels that count ticks say it roughly;
// perf's event tells more: it would have struck within its interval, had there been any other code.
std::uint64_t time_of_call(const SampleClock& clock, const Passed& passed, std::uint64_t now) {
  std::uint64_t most = passed.time;
  if (clock.interval != 0 && now > clock.started) most = std::min(most, now - clock.started);
  return std::clamp(passed.kernel_time, std::min(late_by(clock, now), most), most);
}

// Time that events have passed over, that of the thread, which is late, included.
std::uint64_t passed_over(const SampleClock& clock, std::uint64_t now) {
  return __atomic_load_n(&state.passed_over, __ATOMIC_RELAXED) + late_by(clock, now);
}

// The part of it that no tick has placed yet.
std::uint64_t unplaced_time(const SampleClock& clock, std::uint64_t now) {
  const std::uint64_t passed = passed_over(clock, now);
  const std::uint64_t placed = __atomic_load_n(&state.placed, __ATOMIC_RELAXED);
  return passed > placed ? passed - placed : 0;
}

// How many ticks a signal represents: as many as were let go by since the last one. During a system
// call, all ticks cause a single signal, and it stands for no more of those let go by than perf's
// events say that there were: else one short call would have the time of many.
std::uint64_t ticks_of(const SampleClock& clock, const Passed& passed, bool in_kernel,
                       std::uint64_t now) {
  if (!in_kernel) return clock.stride;
  const auto ticks_in = [](std::uint64_t time) {
    return (time + state.tick_period / 2) / state.tick_period;
  };
  const std::uint64_t let_go_by =
      std::min<std::uint64_t>(ticks_in(unplaced_time(clock, now)), clock.stride);
  return std::max({std::uint64_t{1}, let_go_by, ticks_in(time_of_call(clock, passed, now))});
}

// The time that a tick represents if nothing else samples the thread. What made it wait since the
// last tick were other threads, not the program: then it is known how long it ran. That matters
// where a thread is often interrupted: its turns begin at any time and end with a tick, so that
// there are more ticks than it ran periods. After sleeps, and for what a thread does before its
// first tick, the tick itself is the measure: most of such times see none.
std::uint64_t time_of_tick(const SampleClock& clock, const Passed& passed, bool in_kernel,
                           std::uint64_t now) {
  if (passed.ticked && !passed.slept && passed.time != 0) return passed.time;
  return state.tick_period * ticks_of(clock, passed, in_kernel, now);
}

// Whether events have passed over that much time that no tick has placed yet. Ticks may be ahead by
// chance, but not as far as with a program that runs in step with them.
bool place(const SampleClock& clock, std::uint64_t now, std::uint64_t time) {
  constexpr std::uint64_t ticks_ahead = 16;
  const std::uint64_t passed = passed_over(clock, now);
  const std::uint64_t most = passed + passed / 4 + ticks_ahead * state.tick_period;
  if (__atomic_load_n(&state.placed, __ATOMIC_RELAXED) + time > most) return false;
  __atomic_add_fetch(&state.placed, time, __ATOMIC_RELAXED);
  return true;
}

}  // namespace

void set_clock(std::uint64_t mean_interval, std::uint64_t tick_period) {
  state = {mean_interval, tick_period, 0, 0};
}

std::uint64_t mean_interval() { return state.mean_interval; }

void prepare_clock(ThreadState* thread) {
  SampleClock& clock = thread->clock;
  clock = {};
  seed(&clock.random, reinterpret_cast<std::uint64_t>(thread) + thread->owner_number);
}

void start_clock(ThreadState* thread, std::uint64_t now) {
  prepare_clock(thread);
  look(&thread->clock, now);
}

std::uint64_t draw_interval(ThreadState* thread, std::uint64_t now) {
  SampleClock& clock = thread->clock;
  const NextEvents next = next_events(&clock.random, state.mean_interval, shortest_interval);
  clock.interval = next.after;
  clock.events = next.count;
  clock.started = now;
  clock.passed = 0;
  return clock.interval;
}

bool event_is_lost(const ThreadState& thread, std::uint64_t now) {
  // An event that falls into the kernel is repeated after its interval: most such delays are short,
  // and end when the thread is seen in user mode again.
  constexpr std::uint32_t enough_user_ticks = 4;
  constexpr std::uint64_t longest_delay = 16;
  const SampleClock& clock = thread.clock;
  const std::uint64_t least = std::max(clock.interval, state.tick_period);
  return clock.user_ticks >= enough_user_ticks && late_by(clock, now) > longest_delay * least;
}

Weight weigh_event(ThreadState* thread, std::uint64_t now) {
  SampleClock& clock = thread->clock;
  const std::uint64_t late = late_by(clock, now);
  // An event that falls into the kernel is dropped and repeated after the same interval. If that is
  // short, slow delivery of a signal looks the same.
  const std::uint64_t dropped =
      late < longest_delivery ? 0 : late / clock.interval * clock.interval;
  __atomic_add_fetch(&state.passed_over, dropped, __ATOMIC_RELAXED);
  if (dropped != 0) clock.user_ticks = 0;
  const std::uint64_t delivery = late - dropped;
  add_sampling_time(delivery < longest_delivery ? delivery : longest_delivery);
  if (now == 0) note_covered(thread, clock.started + clock.interval);
  clock.interval = 0;
  return {clock.events, 0};
}

Weight weigh_tick(ThreadState* thread, std::uint64_t now, std::uint64_t pc, bool beside_event) {
  SampleClock& clock = thread->clock;
  const Passed passed = look(&clock, now);
  const bool in_kernel = is_at_system_call(pc);
  const std::uint64_t time = beside_event
                                 ? state.tick_period * ticks_of(clock, passed, in_kernel, now)
                                 : time_of_tick(clock, passed, in_kernel, now);
  clock.ticked = 1;
  clock.user_ticks = in_kernel ? 0 : clock.user_ticks + 1;
  if (beside_event && !(in_kernel && place(clock, now, time))) return {0, 0};
  const std::uint64_t events = events_within(&clock.random, state.mean_interval, time);
  add(&SamplingQuality::covered_time, time);
  const std::uint64_t excess = events > 1 ? events * (events - 1) : 0;
  add(&SamplingQuality::excess_variance, excess);
  if (passed.slept && !beside_event) add_in_step(&clock, passed.time);
  return {events, excess};
}

void add_sampling_time(std::uint64_t time) { add(&SamplingQuality::sampling_time, time); }

void forget_tick(ThreadState* thread) { thread->clock.ticked = 0; }

void note_unsampled(ThreadState* thread, std::uint64_t now) {
  const Passed passed = look(&thread->clock, now);
  if (passed.slept) add_in_step(&thread->clock, passed.time);
}

void note_covered(ThreadState* thread, std::uint64_t now) {
  SampleClock& clock = thread->clock;
  if (clock.interval == 0 || now <= clock.started) return;
  std::uint64_t passed = now - clock.started;
  if (passed > clock.interval) passed = clock.interval;
  if (passed <= clock.passed) return;
  add(&SamplingQuality::covered_time, passed - clock.passed);
  clock.passed = passed;
}

}  // namespace gprof_runtime::sampler
