#include "runtime/sampling/sample_clock.h"

#include <algorithm>
#include <cstdint>

#include <sys/resource.h>

#include "runtime/sampling/clocks.h"
#include "runtime/sampling/random_events.h"
#include "runtime/sampling/switch_cost.h"
#include "runtime/storage/live_file.h"
#include "runtime/system/readable.h"
#include "runtime/system/syscalls.h"
#include "runtime/system/vdso.h"

namespace gprof_runtime::sampler {
namespace {

// Events closer to each other share one signal, whatever it takes: perf's clock accepts no less
// than 10 us.
constexpr std::uint64_t shortest_interval = 50000;
// The program runs at least this many times as long as a sample takes.
constexpr std::uint64_t least_rest = 3;
// Length of the moving average: a single walk of a deep stack should change it little.
constexpr std::uint64_t averaged_samples = 16;
// A longer delay is not explained by the kernel's work for the signal.
constexpr std::uint64_t longest_delivery = shortest_interval;

// Times are sums over all threads.
struct State {
  std::uint64_t mean_interval;
  std::uint64_t tick_period;
  std::uint64_t sample_price;
  std::int64_t left_over;   // SampleClock::unplaced of ended threads
  std::uint64_t looked_at;  // CPU time between looks
  std::uint64_t ticked;     // what the ticks in it stand for
};
State state;

void add(std::uint64_t SamplingQuality::*figure, std::uint64_t amount) {
  LiveHeader* header = live::header();
  if (header != nullptr && amount != 0) {
    __atomic_add_fetch(&(header->sampling.*figure), amount, __ATOMIC_RELAXED);
  }
}

// The kernel's accounts of the thread. It counts a tick that strikes the thread as a tick period of
// user or kernel time, and scales these times to the CPU time where it reports them; but the clocks
// that CPU timers have are not scaled, so that each tick can be seen there. (Kernels that measure
// both times instead report them as they are.)
struct Accounts {
  std::uint64_t sleeps;       // voluntary context switches
  std::uint64_t switches;     // all of them
  std::uint64_t ticks;        // user and kernel time
  std::uint64_t kernel_time;  // of which in the kernel
  bool known;
};

Accounts read_accounts() {
  constexpr long of_thread = 1;         // RUSAGE_THREAD
  constexpr long user_and_kernel = -4;  // CPUCLOCK_PROF of the current thread
  constexpr long user_alone = -3;       // CPUCLOCK_VIRT
  rusage usage = {};
  Accounts accounts = {};
  accounts.known = !sys::failed(sys::call(__NR_getrusage, of_thread, sys::word(&usage)));
  accounts.sleeps = static_cast<std::uint64_t>(usage.ru_nvcsw);
  accounts.switches = accounts.sleeps + static_cast<std::uint64_t>(usage.ru_nivcsw);
  // In this order: a tick between the two calls must not be missing from the sum.
  const std::uint64_t user = read_clock(user_alone);
  accounts.ticks = read_clock(user_and_kernel);
  accounts.kernel_time = accounts.ticks > user ? accounts.ticks - user : 0;
  accounts.known = accounts.known && accounts.ticks != 0;
  return accounts;
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
  std::uint64_t ticks;        // what the ticks that struck stand for
  std::uint64_t kernel_time;  // of which in the kernel
  bool slept;
  bool ticked;  // it began with a tick
};

// `at_call`: what tells of the kernel where it keeps no accounts, or they are not known yet.
Passed look(ThreadState* thread, std::uint64_t now, bool beside_event, bool at_call) {
  SampleClock* clock = &thread->clock;
  const Accounts accounts = read_accounts();
  const std::uint64_t cost = cost_of_switches(thread, accounts.switches);
  if (beside_event) add(&SamplingQuality::sampling_time, cost);
  const bool begun = clock->looked != 0 && now > clock->looked;
  // A user mode tick between the two clock reads of read_accounts() is counted as kernel time
  // there. The kernel time of a later look may then be smaller. Keeping the larger one takes the
  // tick off the next kernel time, and the differences never wrap around.
  const std::uint64_t kernel_time = std::max(accounts.kernel_time, clock->kernel_time);
  const std::uint64_t ticks = std::max(accounts.ticks, clock->ticks);
  Passed passed = {begun ? now - clock->looked : 0, ticks - clock->ticks,
                   std::min(kernel_time - clock->kernel_time, ticks - clock->ticks),
                   accounts.sleeps != clock->sleeps, begun && clock->ticked != 0};
  if (!accounts.known || clock->looked == 0) {
    passed.ticks = state.tick_period;
    passed.kernel_time = at_call ? state.tick_period : 0;
  }
  if (begun && accounts.known) {
    __atomic_add_fetch(&state.looked_at, passed.time, __ATOMIC_RELAXED);
    __atomic_add_fetch(&state.ticked, passed.ticks, __ATOMIC_RELAXED);
  }
  clock->looked = now;
  clock->ticked = 0;
  clock->sleeps = accounts.sleeps;
  clock->ticks = ticks;
  clock->kernel_time = kernel_time;
  return passed;
}

// The CPU time that a time by ticks stands for. Where threads wait for each other's CPU, their
// turns end with a tick but begin at any time: then there are more ticks than they ran periods. The
// kernel scales its own figures in this way, thread by thread; short threads allow that only for
// all together.
std::uint64_t scaled(std::uint64_t ticks) {
  constexpr std::uint64_t ticks_before = 16;  // as if there had been so many, exact ones
  const std::uint64_t before = ticks_before * state.tick_period;
  const std::uint64_t real = __atomic_load_n(&state.looked_at, __ATOMIC_RELAXED) + before;
  const std::uint64_t counted = __atomic_load_n(&state.ticked, __ATOMIC_RELAXED) + before;
  constexpr std::uint64_t one = 1024;
  constexpr std::uint64_t most = 4 * one;  // else in step with the ticks
  const std::uint64_t scale = std::min(real / (counted / one), most);
  return ticks / one * scale;
}

// Adds a time as a number of samples, randomly rounded up or down.
void add_in_step(SampleClock* clock, std::uint64_t time) {
  add(&SamplingQuality::tick_samples,
      (time + random_below(&clock->random, state.mean_interval)) / state.mean_interval);
}

// The time that a tick represents if nothing else samples the thread. What made it wait since the
// last tick were other threads, not the program: then it is known how long it ran. That matters
// where a thread is often interrupted: its turns begin at any time and end with a tick, so that
// there are more ticks than it ran periods. After sleeps, and for what a thread does before its
// first tick, the ticks themselves are the measure: most of such times see none. All that strike
// within one system call cause a single signal, when it returns.
std::uint64_t time_of_tick(const Passed& passed) {
  return passed.ticked && !passed.slept && passed.time != 0 ? passed.time : scaled(passed.ticks);
}

// The kernel time that a tick beside an event places. The ticks say how much it is, without bias;
// but the event knows it more exactly, by what it has passed over. So the difference of the two,
// which is nought on average when a tick strikes, corrects each time by a part: in the long run
// events and placed times add up to the CPU time, and a program in step with the ticks gets no more
// than that.
std::uint64_t kernel_time_to_place(SampleClock* clock, const Passed& passed, bool at_call,
                                   std::uint64_t now) {
  if (passed.kernel_time == 0) {
    ++clock->user_ticks;
    return 0;
  }
  clock->user_ticks = 0;
  clock->owed += passed.kernel_time;
  // While ticks rest, several pass between looks, some in user mode and some in the kernel. Then
  // the kind of the last one is unknown, unless several struck in the kernel and this one ends a
  // call.
  const bool struck_there = passed.kernel_time > passed.ticks / 8 * 7;
  if (!struck_there && !(at_call && passed.kernel_time > state.tick_period)) return 0;
  constexpr std::int64_t corrected_share = 4;
  const auto struck = static_cast<std::int64_t>(scaled(clock->owed));
  clock->owed = 0;
  // The interval during which the event is late now may turn out to be a little shorter.
  clock->unplaced += __atomic_exchange_n(&state.left_over, 0, __ATOMIC_RELAXED);
  const std::int64_t passed_over =
      clock->unplaced + static_cast<std::int64_t>(late_by(*clock, now));
  // A program that blocks all signals unseen makes events late, too: no tick places much of that.
  const std::int64_t time =
      std::clamp<std::int64_t>(struck + (passed_over - struck) / corrected_share, 0, 2 * struck);
  clock->unplaced -= time;
  return static_cast<std::uint64_t>(time);
}

// Kernel time that an event places because ticks hardly strike the thread there. One that yields
// its CPU in a loop to threads that compute gets it back when their time is over: after a tick, and
// never until the next. Events that struck when a system call had just returned are as good then.
std::uint64_t time_missed_by_ticks(SampleClock* clock, std::uint64_t pc) {
  constexpr std::uint64_t more_than_chance = 8;
  const auto bearable = static_cast<std::int64_t>(more_than_chance * state.tick_period);
  if (clock->unplaced <= bearable || !is_at_system_call(pc)) return 0;
  const std::int64_t time = clock->unplaced;
  clock->unplaced = 0;
  return static_cast<std::uint64_t>(time);
}

// What events that share one signal add to the variance beyond that of single ones.
std::uint64_t excess_of(std::uint64_t events) { return events > 1 ? events * (events - 1) : 0; }

// The events of a time that was all at one place.
Weight weigh_time(SampleClock* clock, std::uint64_t time) {
  if (time == 0) return {};
  const std::uint64_t events = events_within(&clock->random, state.mean_interval, time);
  const std::uint64_t excess = excess_of(events);
  add(&SamplingQuality::covered_time, time);
  add(&SamplingQuality::excess_variance, excess);
  return {events, excess, 0};
}

// How many of a tick's events are time in the kernel, if nothing else samples the thread: the share
// that the kernel's accounts give. One tick struck in user mode or in the kernel; of several that
// share a signal only the sum is known. Rounded at random, so that no part is lost in the long run.
std::uint64_t kernel_part(SampleClock* clock, const Passed& passed, std::uint64_t events) {
  if (passed.kernel_time >= passed.ticks) return passed.ticks != 0 ? events : 0;
  if (passed.kernel_time == 0 || events == 0) return 0;
  constexpr std::uint64_t microsecond = 1000;  // products stay below 2^64
  const std::uint64_t whole = passed.ticks / microsecond + 1;
  const std::uint64_t part = events * (passed.kernel_time / microsecond);
  return (part + random_below(&clock->random, whole)) / whole;
}

}  // namespace

void set_clock(std::uint64_t mean_interval, std::uint64_t tick_period, std::uint64_t sample_price) {
  state = {};
  state.sample_price = sample_price;
  state.mean_interval = mean_interval;
  state.tick_period = tick_period;
}

std::uint64_t mean_interval() { return state.mean_interval; }

void prepare_clock(ThreadState* thread) {
  SampleClock& clock = thread->clock;
  clock = {};
  seed(&clock.random, reinterpret_cast<std::uint64_t>(thread) + thread->owner_number);
}

void start_clock(ThreadState* thread, std::uint64_t now) {
  prepare_clock(thread);
  look(thread, now, false, false);
  begin_switch_window(thread, {now, monotonic_time()});
}

std::uint64_t draw_interval(ThreadState* thread, std::uint64_t now) {
  SampleClock& clock = thread->clock;
  const std::uint64_t rest = least_rest * (state.sample_price + clock.taken);
  const NextEvents next =
      next_events(&clock.random, state.mean_interval, std::max(shortest_interval, rest));
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

Weight weigh_event(ThreadState* thread, std::uint64_t now, std::uint64_t pc) {
  SampleClock& clock = thread->clock;
  const std::uint64_t late = late_by(clock, now);
  // An event that falls into the kernel is dropped and repeated after the same interval. If that is
  // short, slow delivery of a signal looks the same.
  const std::uint64_t dropped =
      late < longest_delivery ? 0 : late / clock.interval * clock.interval;
  clock.unplaced += static_cast<std::int64_t>(dropped);
  if (dropped != 0) clock.user_ticks = 0;
  const std::uint64_t delivery = std::min(late - dropped, longest_delivery);
  add(&SamplingQuality::sampling_time, std::max(state.sample_price, delivery));
  if (now == 0) note_covered(thread, clock.started + clock.interval);
  clock.interval = 0;
  const Weight missed = weigh_time(&clock, time_missed_by_ticks(&clock, pc));
  const std::uint64_t excess = excess_of(clock.events);
  add(&SamplingQuality::excess_variance, excess);
  return {clock.events + missed.events, missed.excess_variance + excess, missed.events};
}

Weight weigh_tick(ThreadState* thread, std::uint64_t now, std::uint64_t pc, bool beside_event) {
  SampleClock& clock = thread->clock;
  const bool at_call = is_at_system_call(pc);
  const Passed passed = look(thread, now, beside_event, at_call);
  clock.ticked = 1;
  const std::uint64_t time =
      beside_event ? kernel_time_to_place(&clock, passed, at_call, now) : time_of_tick(passed);
  if (passed.slept && !beside_event) add_in_step(&clock, passed.time);
  Weight weight = weigh_time(&clock, time);
  weight.kernel_events = beside_event ? weight.events : kernel_part(&clock, passed, weight.events);
  return weight;
}

void note_taken(ThreadState* thread, std::uint64_t time) {
  std::uint64_t& taken = thread->clock.taken;
  taken = (taken * (averaged_samples - 1) + time) / averaged_samples;
  add(&SamplingQuality::sampling_time, time);
}

void forget_tick(ThreadState* thread, std::uint64_t now) { look(thread, now, false, false); }

void note_end_of_clock(ThreadState* thread, std::uint64_t now, bool beside_event) {
  const Passed passed = look(thread, now, beside_event, false);
  if (passed.slept && !beside_event) add_in_step(&thread->clock, passed.time);
}

void leave_over(ThreadState* thread) {
  SampleClock& clock = thread->clock;
  __atomic_add_fetch(&state.left_over, clock.unplaced, __ATOMIC_RELAXED);
  clock.unplaced = 0;
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
