// Writes gmon.out, a gmon file for each profiled library, and the sidecar, out of the live tables.
//
// Everything is gathered into anonymous memory; nothing of the tables changes, and other threads
// may go on counting. Each file is written under a temporary name and renamed; a file that cannot
// be written whole leaves what was under its name before. No allocation but mmap, no stdio, no
// locks that the interrupted program could hold.
//
// Thread contract: one writer at a time (process/ sees to it), in any thread or signal handler.
#pragma once

#include "formats/live_file.h"

namespace gprof_runtime {

using namespace gprof_formats;

// `ending` and `status` go into the live header and the sidecar. Where it fails, the one line on
// standard error says why, and the live file stays as it is.
bool write_profile(Ending ending, int status);

// Chooses the name of the gmon file (and writes it to the live header) when the process starts, a
// forked child begins, or an exec has put a new image in. Signals are blocked.
void choose_output_name(bool forked, unsigned image_number);

}  // namespace gprof_runtime
