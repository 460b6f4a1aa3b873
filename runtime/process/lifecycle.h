// From the first counted call to the last written profile: how the collector begins in a process,
// what happens when the process forks, executes another image, or ends.
//
// Nothing begins before the program shows that it is instrumented: a library that is preloaded into
// other programs costs them nothing and leaves no file.
//
// Thread contract: any thread, any signal handler, unless stated.
#pragma once

#include "formats/live_file.h"

namespace gprof_runtime {

using namespace gprof_formats;

// Begins to collect, once a process. False where that is not possible (no memory), or is being done
// by the calling thread itself.
bool activate();
bool is_active();

// False in a child of vfork, which runs in its parent's memory.
bool is_own_process();

// Writes the profile. `last`: nothing is counted afterwards, and the live file is removed when the
// profile is written. False where nothing was collected, or could be written.
bool finish(Ending ending, int status, bool last);

// Before an exec that is likely to succeed, and after one that did not.
void before_exec();
void after_failed_exec();

// After libraries were unloaded: what they counted is put aside.
void retire_unloaded_libraries();

// Has release_thread() called when the current thread ends.
void release_at_thread_end();

// Once, when the library is loaded: what only libc can do.
void prepare_process();

// Around fork.
void before_fork();
void after_fork_in_parent();
void after_fork_in_child();

}  // namespace gprof_runtime
