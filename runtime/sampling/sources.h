// The sources of a thread's sampling signals: perf's clock, and the kernel's tick through the
// thread's own timer or the process's.
//
// Thread contract: any thread, for its own state, and the signal handlers that interrupt it;
// choose_rate() and abandon_sources() with one thread and signals blocked.
#pragma once

#include <cstdint>

#include <signal.h>

#include "runtime/process/thread_state.h"
#include "runtime/sampling/kernel_signals.h"

namespace gprof_runtime::sampler {

// Sets and returns the rate, in samples per second of CPU time: that of the settings or, if they
// leave it open, what the clock allows.
std::uint32_t choose_rate();

bool is_armed(const ThreadState* thread);
// `signal`: the tick's; perf's clock has its own, and is used only after allow_events(). Returns 0,
// or a negative errno if the thread's own sources were refused. Records the source in the live
// header.
long arm_sources(ThreadState* thread, int signal);
// Ticks for another thread, which has not taken its state yet; and then, by that thread, an event.
bool arm_ticks_of_other(ThreadState* thread, int signal, std::uint32_t number);
void add_event(ThreadState* thread);
// Afterwards none of their signals is pending for the thread.
void disarm_sources(ThreadState* thread, int signal);
// In a forked child: timers are not inherited, descriptors are.
void abandon_sources(ThreadState* thread);

// Permanently stops the sources of every thread but `own`, with calls that another thread may make;
// a thread in its handler does not restart them. Signals already sent may still arrive. Returns
// whether there were any sources.
bool stop_sources_of_others(const ThreadState* own);
bool sources_are_stopped();

// perf's clock: used once its signal has a handler, until the program needs the signal. Giving it
// up stops the events of all threads, which close them at their next tick. Signals already sent may
// still arrive. Any thread.
void allow_events();
void give_up_events();
bool events_are_allowed();
// Closes the current thread's event for good, and takes its pending signal from the queue.
void close_event(ThreadState* thread);

// The last resort: one timer for all threads, which sends SIGPROF. Returns 0, or a negative errno
// if it is refused, the program uses it, or other threads have their own sources.
long arm_process_timer(const KernelAction& action);
bool uses_process_timer();
void suspend_process_timer();
void resume_process_timer();
void end_process_timer();

// Whether a signal is from one of these sources. `thread` may be null.
bool is_from_own_source(const ThreadState* thread, int signal, const siginfo_t& info);

// What such a signal means.
enum class Strike : std::uint32_t {
  none,   // late: from an event that was closed
  event,  // perf's clock: its interval is over
  tick,   // the kernel's tick struck the thread
};
Strike strike_of(const ThreadState* thread, const siginfo_t& info);

// Begins the next interval after an event was handled, or the program took its signal from the
// queue. If the system refuses that (the program installed a filter or closed the descriptor), only
// ticks sample the thread from now on.
void begin_interval(ThreadState* thread, std::uint64_t now);
// At a tick: if the program has closed the event, perhaps with all its files, or events are given
// up, ticks replace it. If its signal was lost, it is restarted.
void look_after_event(ThreadState* thread, std::uint64_t now);
// After that: closes the event if the thread's context switches make it too dear, or opens one
// again.
void choose_source(ThreadState* thread, std::uint64_t now);
// After either: lets most ticks go by while perf's clock sees all of the thread's time.
void pace_ticks(ThreadState* thread);

}  // namespace gprof_runtime::sampler
