// How many events of the Poisson process over the thread's CPU time (random_events.h) a signal of
// the sampling clock represents.
//
// An event of perf's clock comes after a randomly drawn interval, in user mode, to the nanosecond:
// it is one event. The clock does not strike inside the kernel but resumes after it. How much time
// it passed over is then known, but not where that time was spent.
//
// The kernel's tick strikes a running thread wherever it is, and represents the events within one
// tick period, or, where only ticks sample a thread and it did not sleep, within the time that it
// ran since the last one. Without a perf event, all samples are of this kind. With one, only ticks
// that strike in the kernel count: in a system call, a page fault or an interrupt, at the
// instruction that it interrupted. They place the time that the event passed over, and no more than
// that.
//
// Ticks may be biased. A thread that sleeps by a timer may run in step with them, so that they
// always strike it at the same point, or never. If nothing else samples, such time is reported
// separately (SamplingQuality::tick_samples); with an event, ticks only choose within the kernel.
//
// A sample takes time itself: 3 us on a machine, 50 in some virtual ones, and what the collector
// does. Events that come so close that this would take more than a quarter of the time share one
// signal, and one place: they are as many as they should be, with the larger error of samples in
// groups.
//
// Units: nanoseconds of the thread's CPU clock; 0 means unknown (the clock was refused).
// Thread contract: the thread itself, with signals blocked.
#pragma once

#include <cstdint>

#include "runtime/process/thread_state.h"

namespace gprof_runtime::sampler {

// Configures the clock; called by choose_rate() while there is one thread. `sample_price`: what the
// system takes for an event's signal; 0: not known.
void set_clock(std::uint64_t mean_interval, std::uint64_t tick_period, std::uint64_t sample_price);
std::uint64_t mean_interval();

// Prepares the clock of another thread, which begins with its first signal.
void prepare_clock(ThreadState* thread);

// Starts the clock of a thread.
void start_clock(ThreadState* thread, std::uint64_t now);

// Draws the interval, beginning now, after which the event strikes.
std::uint64_t draw_interval(ThreadState* thread, std::uint64_t now);

struct Weight {
  std::uint64_t events;           // that the signal represents; 0: no sample
  std::uint64_t excess_variance;  // as in SamplingQuality
  std::uint64_t kernel_events;    // the events that are time in the kernel
};

// Whether the event must have struck long ago: its signal was merged with one of the program's,
// which was pending for the thread. A new interval is drawn then: when does not matter, because the
// process has no memory.
bool event_is_lost(const ThreadState& thread, std::uint64_t now);

Weight weigh_event(ThreadState* thread, std::uint64_t now, std::uint64_t pc);
Weight weigh_tick(ThreadState* thread, std::uint64_t now, std::uint64_t pc, bool beside_event);

// A tick struck while sampling was off: the time since the last one is none of the next one's.
void forget_tick(ThreadState* thread, std::uint64_t now);

// Adds the CPU time that the collector took for a sample.
void note_taken(ThreadState* thread, std::uint64_t time);

// When no tick may strike any more: accounts for what was since the last one.
void note_end_of_clock(ThreadState* thread, std::uint64_t now, bool beside_event);
// The thread's event is closed: kernel time that no tick has placed goes to the ticks of other
// threads.
void leave_over(ThreadState* thread);

// Counts the elapsed part of the interval as covered, even if its event never strikes.
void note_covered(ThreadState* thread, std::uint64_t now);

}  // namespace gprof_runtime::sampler
