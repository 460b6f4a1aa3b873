// The names of threads, as the kernel knows them: pthread_setname_np() and prctl(PR_SET_NAME) set
// them, so does the program's start.
//
// Thread contract: any thread, any signal handler. Errors: a name that the kernel does not tell
// stays as it was.
#pragma once

#include <cstdint>

#include "formats/live_file.h"

namespace gprof_runtime {

using namespace gprof_formats;

// The current thread's, into its record.
void note_own_name(ThreadRecord* record);
// Another one's.
void note_name_of(std::uint32_t thread, ThreadRecord* record);

// Those of all threads that run, before a profile is written.
void note_names();

}  // namespace gprof_runtime
