// Threads that the collector did not see start: made before it began, by functions of libc that
// call each other directly, or through a copy of pthread_create() that the collector does not stand
// in front of.
//
// /proc/self/task names them. Each gets its state and its timer from outside; the first signal of
// the timer makes the thread take the state for its own (claim_thread()). Only threads that libc
// made are touched: they have memory of their own for thread-local variables and a stack that has
// room for a signal. libc registers a list of robust mutexes with the kernel for each such thread,
// inside the thread's own descriptor; a bare clone() has none.
//
// Thread contract: any thread, any signal handler, with every signal blocked, on a stack that has
// room for 4 KiB. Nothing here fails: a thread that cannot be found is not sampled.
#pragma once

namespace gprof_runtime {

// When the collector begins in the process. Where there are threads that have not run yet, this
// waits for them, 50 ms at most.
void find_threads();

// At samples, every few milliseconds: searches again if the number of threads says that there are
// unknown ones.
void find_new_threads();

// In a forked child, which has one thread.
void abandon_thread_search();

}  // namespace gprof_runtime
