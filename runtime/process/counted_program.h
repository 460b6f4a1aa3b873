// What kind of program this is to the collector: one that counts calls, or one that is only
// sampled.
//
// Thread contract: any thread, any signal handler, unless stated.
#pragma once

namespace gprof_runtime {

// Whether sampling begins when the library is loaded, with one thread: in any program if
// GPROF_ANY=1, which `record` sets, else in those outside the system's own directories, so that
// shells and tools that pass LD_PRELOAD on are left alone; never in Go's. From then on, programs
// that `record` did not start itself and that count nothing report no problems.
bool begins_when_loaded();

// Called when the start file or the first counted call of a module shows that calls are counted.
// Measures what counting costs, if that is wanted; the thread must have its state.
void begin_counting();
bool counts_calls();

// Whether samples are to have stacks: if not stated, while no calls are counted.
bool wants_stacks();

// Whether another process than this one is what `record` started.
bool is_further_process();

}  // namespace gprof_runtime
