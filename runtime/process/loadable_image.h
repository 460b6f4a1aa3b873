// Whether what a process executes can be started with the collector's library in LD_PRELOAD: see
// formats/library_fit.h. Only raw system calls; a descriptor or two are open for a moment.
//
// Thread contract: any thread, any signal handler, children of fork and vfork. Uses some 6 KiB of
// stack. errno is preserved.
#pragma once

#include "formats/library_fit.h"

namespace gprof_runtime {

using Fit = gprof_formats::LibraryFit;

// The arguments are those of execveat().
Fit fit_of_image(int directory, const char* path, int flags);

// Notes which dynamic linker has loaded this process: that one needs no examination. Before the
// program can change its root.
void remember_own_linker();

}  // namespace gprof_runtime
