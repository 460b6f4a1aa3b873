// CPU time of threads, as their clocks tell it, for the profile.
//
// Units: nanoseconds. Thread contract: stated at each function.
#pragma once

#include <cstdint>

namespace gprof_runtime {

// When the collector begins: notes the CPU time up to then in the live file's header, and how much
// of it was used by threads that have ended. With every signal blocked.
void note_earlier_time();

// When a thread gives its slot back: by that thread.
void note_time_of_ended();

// Before a profile is written, by one thread at a time: brings the CPU time in the records of all
// threads up to date, and notes in the live file's header how much was used by threads that have
// never had a state.
void note_times();

// In a forked child.
void abandon_thread_times();

}  // namespace gprof_runtime
