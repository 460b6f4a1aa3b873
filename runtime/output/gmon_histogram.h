// Histogram records of a gmon file: which ranges, and what carries counts beyond 16 bits.
//
// Bins are two bytes of code. Code that is small is one range; of larger code only the windows that
// were hit are written. Where windows begin and end depends on the code alone: ranges of several
// runs are equal or disjoint, which is what GNU gprof adds up. So a bin that 16 bits cannot hold
// repeats the record of its whole range.
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
