// Histogram records of a gmon file: which ranges, and what carries counts beyond 16 bits.
//
// Bins are two bytes of code. Code that is small is one range; of larger code only the windows that
// were hit are written. A bin that 16 bits cannot hold is a range of its own, so that only that bin
// is repeated.
//
// Thread contract: one thread at a time, any signal handler.
#pragma once

#include <cstdint>

#include "runtime/output/gather.h"
#include "runtime/output/output_file.h"

namespace gprof_runtime {

void write_histograms(OutputFile& file, const Gathered& gathered, std::uint32_t module,
                      std::uint32_t rate);

}  // namespace gprof_runtime
