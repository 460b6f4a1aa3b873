// Writes gmon.out, a gmon file for each profiled library, and the sidecar from the live tables.
//
// Everything is gathered into anonymous memory; the tables do not change, and other threads may go
// on counting. Each file is written under a temporary name and renamed; if it cannot be written
// completely, the old file stays. Allocates only with mmap; uses no stdio and no locks that the
// interrupted program could hold.
//
// Thread contract: one writer at a time (process/ ensures that), in any thread or signal handler.
#pragma once

#include "formats/live_file.h"

namespace gprof_runtime {

using namespace gprof_formats;

// `ending` and `status` go into the live header and the sidecar. On failure, one line on standard
// error says why, and the live file stays as it is.
bool write_profile(Ending ending, int status);

// Chooses the name of the gmon file and writes it to the live header: when the process starts, in a
// forked child, and in a new image after an exec. Call with signals blocked.
void choose_output_name(bool forked, unsigned image_number);

}  // namespace gprof_runtime
