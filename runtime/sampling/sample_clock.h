// What a signal of the sampling clock stands for: of how many events of a Poisson process of the
// thread's CPU time (random_events.h) it tells.
//
// An event of perf's clock comes after an interval that was drawn, in user mode, to the nanosecond:
// it is one event. The clock does not strike within the kernel, and goes on behind it. The time
// that it so passed over is known, and not where it was spent.
//
// The kernel's tick strikes a thread that runs, wherever it is: it tells of the events within one
// period of the tick. Where there is no perf event, all samples are of this kind. Beside one, only
// ticks that struck in a system call count: they place the time that the event passed over, and no
// more than that.
//
// Whether the ticks tell the truth is another question. A thread that sleeps by a timer between two
// ticks may be in step with them, so that they strike where it always is at that moment, or never.
// Where nothing else samples, such time is told apart (SamplingQuality::tick_samples); beside an
// event, ticks only choose among system calls.
//
// Units: nanoseconds of the thread's CPU clock; a time of 0 is not known (the clock was refused).
// Thread contract: the thread itself, with signals blocked.
#pragma once

#include <cstdint>

#include "runtime/process/thread_state.h"

namespace gprof_runtime::sampler {

// How the clock is to run; by choose_rate() and with one thread.
void set_clock(std::uint64_t mean_interval, std::uint64_t tick_period);
std::uint64_t mean_interval();

// A thread begins to be sampled.
void start_clock(ThreadState* thread, std::uint64_t now);

// Draws the interval after which the event is to strike, beginning now.
std::uint64_t draw_interval(ThreadState* thread, std::uint64_t now);

struct Weight {
  std::uint64_t events;           // that the signal tells of; 0: no sample
  std::uint64_t excess_variance;  // as in SamplingQuality
};

Weight weigh_event(ThreadState* thread, std::uint64_t now);
Weight weigh_tick(ThreadState* thread, std::uint64_t now, std::uint64_t pc, bool beside_event);

// CPU time that it took to take a sample.
void add_sampling_time(std::uint64_t time);

// Where the tick samples: the time since the last one that struck, when nothing will.
void note_unsampled(ThreadState* thread, std::uint64_t now);

// What has passed of the interval is covered, also where its event never strikes.
void note_covered(ThreadState* thread, std::uint64_t now);

}  // namespace gprof_runtime::sampler
