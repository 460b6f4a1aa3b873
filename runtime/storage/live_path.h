// The name of the live file: where it is created, and how it is opened again to grow.
//
// No descriptor is kept open, because a program may close or reuse any number; where paths got
// another meaning by chroot, the held descriptors are used (held_files.h).
//
// Thread contract: create() and forget() with one thread; everything else any thread and any signal
// handler.
#pragma once

#include <cstdint>

namespace gprof_runtime::live {

// Chooses the directory: that of the settings, or the current one.
void choose_directory();

// Creates `gmon.live.PID`, or `gmon.live.PID.N` if an earlier process left a file of that name.
// Returns its descriptor, which the caller closes; -1 if that is impossible.
int create_file(std::uint32_t process);

// The descriptor of the file that create_file() created, for release_own_file(); -1 if it is not
// there any more, or may not be opened.
int open_own_file();
void release_own_file(int descriptor);

const char* start_directory();
const char* path();  // empty if there is no file
void remove_file();

// In a forked child, whose file is another one.
void forget_file();

}  // namespace gprof_runtime::live
