// What the sample types of pprof's files are as metrics.
//
// Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/import/pprof_file.h"
#include "engine/metrics/metric.h"

namespace gprof {

struct PprofMetric {
  Metric metric;
  std::uint32_t amounts_a_unit = 1;
  // The amount of one sample, which decides the sampling error of figures.
  std::uint64_t amounts_a_sample = 1;
  std::size_t type = 0;       // index into the file's types
  std::uint64_t divisor = 1;  // of values, to get amounts
};

// The one that is shown first comes first. `common`: by type, a number of which all values are
// multiples; 0 if there are no values.
[[nodiscard]] std::vector<PprofMetric> pprof_metrics(const PprofFile& file,
                                                     const std::vector<std::uint64_t>& common);

}  // namespace gprof
