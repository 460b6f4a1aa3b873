// From the first sample or counted call to the last written profile: how the collector begins in a
// process, what happens when the process forks, executes another image, or ends.
//
// It begins when the library is loaded, or, where only instrumented programs are profiled
// (Settings::any), when instrumented code runs: then preloading the library into other programs
// costs them nothing and leaves no file.
//
// Thread contract: any thread, any signal handler, unless stated.
#pragma once

#include <cstdint>

#include "formats/live_file.h"

namespace gprof_runtime {

using namespace gprof_formats;

// Begins collecting, once per process. False if that is impossible (no memory) or the calling
// thread is already doing it.
bool activate();
bool is_active();

// False in a child of vfork, which runs in its parent's memory.
bool is_own_process();

// Writes the profile. `last`: nothing is counted afterwards, and the live file is removed once the
// profile is written. False if nothing was collected or could be written.
bool finish(Ending ending, int status, bool last);

// Before an exec, and after one that failed. Writes the profile if the exec is likely to succeed.
// Stops sampling in any case: the exec may succeed all the same, and a process timer that is still
// running would kill the new image.
void before_exec(bool likely_to_succeed);
void after_failed_exec();

// Sets aside the counts of libraries that have been unloaded.
void retire_unloaded_libraries();

// Where the thread executes. Registering may make libc allocate memory, which a signal handler must
// not do.
enum class ThreadPlace : std::uint8_t { anywhere, in_handler };
// Registers release_thread() to be called when the current thread ends. Not in a handler for which
// libc would need memory: then the thread's slot stays taken.
void release_at_thread_end(ThreadPlace place);

// When the library is loaded, or before that, when the constructor of another library creates a
// thread: prepares the process, and begins collecting if that is wanted now. Once, with one thread.
void load_once();

// Registrations that only libc can do; once, when the library is loaded.
void prepare_process();
// Once the process can create threads: before it creates the first.
void prepare_for_threads();

// Around fork.
void before_fork();
void after_fork_in_parent();
void after_fork_in_child();

}  // namespace gprof_runtime
