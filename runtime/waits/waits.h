// Waits: how long threads are blocked in calls of libc, by clock, with the stack of the call.
//
// The functions in wait_functions.inc are interposed. As long as waits are not measured, each is a
// jump to the next one of its name. While they are, a call is measured from its beginning to its
// end, without timers and signals: what the program sees is what it would see without. A call that
// ended otherwise (by a cancelled thread, or longjmp() out of a handler) has left nothing behind
// and is not counted. Only in the shared library.
//
// Units: nanoseconds of CLOCK_MONOTONIC. Thread contract: stated at each function.
#pragma once

namespace gprof_runtime::waits {

// Finds the functions that are interposed. When the library is loaded: signal handlers may call
// them.
void prepare();

// From now on, waits are measured, in this process. When the collector begins, and again in a
// forked child. With signals blocked.
void start();

// In a forked child: forgets who holds which lock.
void abandon();

// Before a profile is written: counts what threads have waited that are still waiting. With signals
// blocked, by one thread at a time.
void count_open();

}  // namespace gprof_runtime::waits
