// What sends the sampling signals of a thread: perf's clock and the kernel's tick, which strikes by
// the thread's own timer or by the process's.
//
// Thread contract: any thread, for its own state, and the signal handlers that interrupt it;
// choose_rate() and abandon_sources() with one thread and signals blocked.
#pragma once

#include <cstdint>

#include <signal.h>

#include "runtime/process/thread_state.h"
#include "runtime/sampling/kernel_signals.h"

namespace gprof_runtime::sampler {

// Takes the rate, in samples a second of CPU time; where the settings leave it open, what the clock
// allows. Returns it.
std::uint32_t choose_rate();

bool is_armed(const ThreadState* thread);
// 0, or a negative error number: the thread's own sources were refused. Names the source in the
// live header.
long arm_sources(ThreadState* thread, int signal);
// None of their signals is pending afterwards.
void disarm_sources(ThreadState* thread, int signal);
// In a forked child: timers are not inherited, descriptors are.
void abandon_sources(ThreadState* thread, int signal);

// For good, of every thread but `own`, by calls that another thread may make: none is armed any
// more and none that is in its handler goes on. Signals that were sent are still to come. Whether
// there were any.
bool stop_sources_of_others(const ThreadState* own);
bool sources_are_stopped();

// The last resort: one timer for all threads, which sends SIGPROF. 0, or a negative error number:
// it is refused, the program uses it, or other threads have sources of their own.
long arm_process_timer(const KernelAction& action);
bool uses_process_timer();
void suspend_process_timer();
void resume_process_timer();
void end_process_timer();

// Whether a signal is from one of these sources. `thread` may be null.
bool is_from_own_source(const ThreadState* thread, int signal, const siginfo_t& info);

// What such a signal says.
enum class Strike : std::uint32_t {
  none,   // comes late: of an event that was closed
  event,  // perf's clock: its interval is over
  tick,   // the kernel's tick struck the thread
};
Strike strike_of(const ThreadState* thread, const siginfo_t& info);

// After an event was handled, or its signal was taken from the queue by the program: the next
// interval begins. Where the system refuses that (a filter that the program has installed, a
// descriptor that it has closed), ticks alone sample the thread from here on.
void begin_interval(ThreadState* thread, int signal, std::uint64_t now);
// At a tick: where the program has closed the event, or all its files, ticks take its place.
void look_after_event(ThreadState* thread, int signal);

}  // namespace gprof_runtime::sampler
