// What sends the sampling signals of a thread: its timer or perf event, or the process's timer.
//
// Thread contract: any thread, for its own state, and the signal handlers that interrupt it;
// choose_period() and abandon_sources() with one thread and signals blocked.
#pragma once

#include <cstdint>

#include <signal.h>

#include "runtime/process/thread_state.h"
#include "runtime/sampling/kernel_signals.h"

namespace gprof_runtime::sampler {

// Decides by the rate what is tried first. In samples a second of CPU time.
void choose_period(std::uint32_t rate);
std::uint64_t sample_period();  // nanoseconds

bool is_armed(const ThreadState* thread);
// 0, or a negative error number: the thread's own sources were refused. Names the source in the
// live header.
long arm_sources(ThreadState* thread, int signal);
// None of their signals is pending afterwards.
void disarm_sources(ThreadState* thread, int signal);
// In a forked child: timers are not inherited, descriptors are.
void abandon_sources(ThreadState* thread, int signal);

// The last resort: one timer for all threads, which sends SIGPROF. 0, or a negative error number:
// it is refused, the program uses it, or other threads have sources of their own.
long arm_process_timer(const KernelAction& action);
bool uses_process_timer();
void suspend_process_timer();
void resume_process_timer();
void end_process_timer();

// Whether a signal is from one of these sources. `thread` may be null.
bool is_from_own_source(const ThreadState* thread, int signal, const siginfo_t& info);
// Whether a signal of them is to be counted; others say that it is time to watch the event.
bool is_sample(const ThreadState* thread, const siginfo_t& info);
// Where the event gave no signal since the last time, the thread's timer takes its place. Not while
// samples are off.
void watch_event(ThreadState* thread, int signal);
// For how many periods it stands. From the times and counts of the record.
std::uint64_t weight_of(const ThreadRecord& record, const siginfo_t& info);
// After a signal was handled, or taken from the queue by the program: makes the next one possible.
void let_next_come(ThreadState* thread, int signal, const siginfo_t& info);

}  // namespace gprof_runtime::sampler
