// Samples of the program counter: timers, the signal, the tables.
//
// Each thread has perf's software clock where that is allowed, and a timer of its own CPU time,
// which strikes at the kernel's ticks; both send the sampling signal to that thread. The signal is
// a real-time signal, so that the program's own SIGPROF and ITIMER_PROF are left alone. Where
// timers are refused, setitimer. What a signal stands for: sample_clock.h.
//
// Thread contract: stated at each function. None fails: what cannot be had is reported once, and
// the program runs on without samples.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/process/thread_state.h"

namespace gprof_runtime::sampler {

// Installs the handler. Once a process (again in a forked child); signals are blocked.
void start();

// Arms the current thread. From its first counted call, or its start.
void arm_thread(ThreadState* thread);
// Ends the current thread's timer and writes its CPU time to its record.
void disarm_thread(ThreadState* thread);

// Before a profile is written: the time of the current thread up to now is in its record.
void note_progress();

// Before an exec or at the end of the process: no signal of ours comes to the calling thread
// afterwards, and none is pending, that could find no handler. resume() after an exec that failed.
// The sampling signal is then blocked and ignored as the program believes it to be, so that the
// new image inherits that. Other threads go on: an exec ends them with all that is theirs. In a
// child that shares its parent's memory (vfork), the parent's timers are left alone.
void pause();
void resume();

// gprof_control(), moncontrol(): samples are dropped while off.
void set_enabled(bool enabled);

// profil(): 16-bit counters of the program's own.
int set_profil_buffer(unsigned short* buffer, std::size_t size, std::size_t offset, unsigned scale);

// The sampling signal, which interposed signal functions keep for the collector. 0 before start(),
// and without samples.
int signal_number();

// A signal mask (bit n - 1 for signal n) without the sampling signal: who blocks all signals around
// arm_thread() restores this mask, not the one from before, as a thread may have begun with every
// signal blocked.
std::uint64_t without_signal(std::uint64_t mask);

// For the interposed signal functions.

// Whether the current process is the one that start() saw, not a vfork child in its memory.
bool in_sampled_process();
// Whether a signal with this number and information was sent by a timer or event of ours.
bool is_own_signal(int signal, const void* information);
// For one that a waiting function took from the queue: it is lost, the next ones are not.
void take_own_signal(const void* information);
// Installs the handler again, so that system calls that it interrupts are or are not restarted.
void restart_system_calls(bool restart);
// Where SIGPROF and ITIMER_PROF are used as the last resort: the program takes them back. Reports
// that there will be no more samples.
void give_up_process_timer();

// In a forked child: the parent's timers do not exist here.
void abandon();

}  // namespace gprof_runtime::sampler
