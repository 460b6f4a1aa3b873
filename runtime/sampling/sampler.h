// Samples of the program counter: timers, the signal, the tables.
//
// Each thread has perf's software clock, if that is allowed, and a CPU-time timer, which expires at
// the kernel's ticks. Both signal that thread: the clock by SIGURG, for the reasons in
// perf_clock.h, the timer by a real-time signal, so that the program's own SIGPROF and ITIMER_PROF
// are left alone. If timers are refused, setitimer is used. sample_clock.h says what a signal
// represents.
//
// Thread contract: stated at each function. None fails: a refused resource is reported once, and
// the program continues without samples.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/process/thread_state.h"

namespace gprof_runtime::sampler {

// Installs the handler. Once per process (again in a forked child), with signals blocked.
void start();

// The signal mask that the calling thread began with, after start() in a process that was not
// forked.
void note_first_mask(std::uint64_t mask);

// Arms the current thread, at its start or its first counted call.
void arm_thread(ThreadState* thread);
// Arms a timer for another thread, whose first signal makes it claim its state (claim_thread()).
void arm_other_thread(ThreadState* thread, std::uint32_t number);
// Ends the current thread's timer and writes its CPU time to its record.
void disarm_thread(ThreadState* thread);

// Before a profile is written: updates the CPU time in the current thread's record.
void note_progress();

// Before an exec or at the end of the process: afterwards none of our signals, which might find no
// handler, arrives at the calling thread or is pending. Blocks and ignores the sampling signals as
// the program believes them to be, so that the new image inherits that. Other threads continue: an
// exec ends them and their timers. In a child that shares its parent's memory (vfork), leaves the
// parent's timers alone. resume() after a failed exec.
void pause();
void resume();

// gprof_control(), moncontrol(): drops samples while off.
void set_enabled(bool enabled);

// Stops sampling for good, in all threads. Signals that still arrive are ignored, without switching
// to the collector's own stack.
void stop();

// profil(): the program's own 16-bit counters.
int set_profil_buffer(unsigned short* buffer, std::size_t size, std::size_t offset, unsigned scale);

// The sampling signals, as a mask (bit n - 1 for signal n), which interposed signal functions
// reserve for the collector. Empty before start() and without sampling.
std::uint64_t sampling_signals();
// That of the ticks alone; 0 if there is none.
int tick_signal();

// A signal mask without the sampling signals. Callers that block all signals around arm_thread()
// restore this mask, not the previous one, because a thread may have started with every signal
// blocked.
std::uint64_t without_signal(std::uint64_t mask);

// For the interposed signal functions.

// Whether the current process is the one that start() saw, not a vfork child in its memory.
bool in_sampled_process();
// Whether a signal with this number and information was sent by one of our timers or events.
bool is_own_signal(int signal, const void* information);
// For one of our signals that a waiting function took from the queue: it is lost, but the next ones
// are not.
void take_own_signal(const void* information);
// Reinstalls a sampling signal's handler, with or without restarting the system calls that it
// interrupts.
void restart_system_calls(int signal, bool restart);
// The program is about to use the signal of perf's clock: ends the clock's use for good. In a
// program of one thread the signal is then the program's, with the action and mask that it believes
// to have; otherwise it stays among the sampling signals, whose use is emulated.
void give_up_perf_clock();
// If SIGPROF and ITIMER_PROF are in use as the last resort: returns them to the program and reports
// that there will be no more samples.
void give_up_process_timer();

// In a forked child: the parent's timers do not exist here.
void abandon();

}  // namespace gprof_runtime::sampler
