#include "runtime/sampling/switch_cost.h"

#include <algorithm>
#include <cstdint>

namespace gprof_runtime::sampler {
namespace {

// Few switches say little about the thread, and cost little.
constexpr std::uint64_t least_switches = 32;
// 1 in so many.
constexpr std::uint64_t bearable_share_of_elapsed = 50;
constexpr std::uint64_t bearable_share_of_cpu = 10;
// The share of CPU time counts only above this: a thread that mostly sleeps has little CPU time.
constexpr std::uint64_t felt_share_of_elapsed = 100;
// How much rarer switches are when a thread gets its event again.
constexpr std::uint64_t calm = 4;
// How long a thread with an event is judged by what it did before.
constexpr std::uint64_t window = 64000000;
// How long a thread must have been calm to get an event, doubled each time that it got one.
constexpr std::uint64_t calm_time = 64000000;
constexpr std::uint32_t most_doublings = 8;

struct State {
  std::uint64_t price;
  std::uint32_t switch_much;  // by any thread
};
State state;

void note_for_new_threads(bool switch_much) {
  __atomic_store_n(&state.switch_much, switch_much ? 1 : 0, __ATOMIC_RELAXED);
}

}  // namespace

void set_switch_price(std::uint64_t price) { state.price = price; }

bool threads_switch_much() { return __atomic_load_n(&state.switch_much, __ATOMIC_RELAXED) != 0; }

void begin_switch_window(ThreadState* thread, const SwitchTimes& now) {
  SwitchWindow& seen = thread->clock.window;
  seen.begun = now.cpu;
  seen.begun_at = now.elapsed;
  seen.switches = thread->clock.switches;
}

std::uint64_t cost_of_switches(ThreadState* thread, std::uint64_t switches) {
  SampleClock& clock = thread->clock;
  const std::uint64_t passed = switches > clock.switches ? switches - clock.switches : 0;
  clock.switches = switches;
  return passed * state.price;
}

SourceChange judge_switches(ThreadState* thread, const SwitchTimes& now, bool has_event) {
  SwitchWindow& seen = thread->clock.window;
  if (now.cpu <= seen.begun) return SourceChange::none;
  const std::uint64_t time = now.cpu - seen.begun;
  const std::uint64_t switches = thread->clock.switches - seen.switches;
  const std::uint64_t cost = switches * state.price;
  const std::uint64_t elapsed = now.elapsed - seen.begun_at;
  const auto exceeds = [&](std::uint64_t stricter) {
    const auto is_above = [&](std::uint64_t whole, std::uint64_t share) {
      return cost > whole / (share * stricter);
    };
    return switches >= least_switches &&
           (is_above(elapsed, bearable_share_of_elapsed) ||
            (is_above(elapsed, felt_share_of_elapsed) && is_above(time, bearable_share_of_cpu)));
  };
  if (has_event) {
    if (exceeds(1)) {
      note_for_new_threads(true);
      return SourceChange::to_ticks;
    }
    if (time > window) begin_switch_window(thread, now);
    return SourceChange::none;
  }
  if (exceeds(calm)) {
    begin_switch_window(thread, now);
    return SourceChange::none;
  }
  const std::uint32_t doublings = std::min(seen.returns, most_doublings);
  if (time < calm_time << doublings) return SourceChange::none;
  ++seen.returns;
  note_for_new_threads(false);
  return SourceChange::to_event;
}

}  // namespace gprof_runtime::sampler
