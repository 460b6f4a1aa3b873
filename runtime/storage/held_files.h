// The profile's directory and the live file, held open once their paths lose their meaning
// (chroot). Because a program may close or reuse any descriptor, each is checked before use.
//
// Thread contract: hold() and let_go() one thread at a time; the others any thread and any signal
// handler. Errors: -1 if nothing is held, or no longer.
#pragma once

namespace gprof_runtime::held {

// Holds nothing if the directory cannot be opened. `file` may be empty.
void hold(const char* directory, const char* file);

// Descriptors, e.g. for openat(); the caller must not close them.
int directory();
int file();

// A forked child has another file.
void let_go_of_file();
void let_go();

}  // namespace gprof_runtime::held
