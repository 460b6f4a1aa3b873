// Histogram records of a gmon file: their ranges, and how they carry counts beyond 16 bits.
//
// A bin covers two bytes of code. Small code is one range; of larger code only the windows with
// samples are written. Window boundaries depend only on the code, so the ranges of several runs are
// equal or disjoint, as GNU gprof needs to add them up. A bin beyond 16 bits therefore repeats the
// record of its whole range.
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
