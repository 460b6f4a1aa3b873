// The directory of the profile and the live file, held open from the moment on in which their paths
// lose their meaning: chroot(). A program may close or reuse any descriptor; each is looked at
// before it is used.
//
// Thread contract: hold() and let_go() one thread at a time; the others any thread and any signal
// handler. Errors: -1 where nothing is held, or no longer.
#pragma once

namespace gprof_runtime::held {

// Where the directory cannot be opened, nothing is held. `file` may be empty.
void hold(const char* directory, const char* file);

// Descriptors, for openat() and the like; the caller does not close them.
int directory();
int file();

// A forked child has another file.
void let_go_of_file();
void let_go();

}  // namespace gprof_runtime::held
