// The cost of perf's clock at context switches, and when a thread does without it.
//
// The kernel stops the clock when the thread leaves the CPU, and starts it when the thread comes
// back: the hardware's timer is programmed twice for each context switch. That takes 1 to 10 us,
// most in a virtual machine, and is several times what a hand-over between two threads takes
// itself. Ticks cost nothing at a switch. So a thread whose switches take a fiftieth of the elapsed
// time, or a hundredth of it and a tenth of the thread's CPU time, is sampled by ticks alone until
// they have become four times rarer, for twice as long each time. Not for less: ticks may be in
// step with a thread that sleeps by a timer, and such a thread takes little CPU time.
//
// The cost of the switches beside an event is their number times the price of one, which is
// measured when the process starts: a switch does to the event what PERF_EVENT_IOC_DISABLE and
// _ENABLE do. It is part of the sampling time that the profile states
// (SamplingQuality::sampling_time).
//
// Units: nanoseconds. The caller reads the clocks, so that a test can make them up. Thread
// contract: the thread itself, with signals blocked; set_switch_price() while there is one thread.
#pragma once

#include <cstdint>

#include "runtime/process/thread_state.h"

namespace gprof_runtime::sampler {

void set_switch_price(std::uint64_t price);

// Whether a new thread should begin without an event, because those before it switched too much.
bool threads_switch_much();

// What the clocks say at one moment.
struct SwitchTimes {
  std::uint64_t cpu;      // of the thread
  std::uint64_t elapsed;  // monotonic_time()
};

// The thread's source has changed: switches count from here on.
void begin_switch_window(ThreadState* thread, const SwitchTimes& now);

// At a tick, or the end of the thread's clock: the cost of the switches beside the event since the
// last call. Afterwards thread->clock.switches is up to date.
std::uint64_t cost_of_switches(ThreadState* thread, std::uint64_t switches);

enum class SourceChange : std::uint32_t { none, to_ticks, to_event };
// After cost_of_switches(): which source the thread should go over to.
SourceChange judge_switches(ThreadState* thread, const SwitchTimes& now, bool has_event);

}  // namespace gprof_runtime::sampler
