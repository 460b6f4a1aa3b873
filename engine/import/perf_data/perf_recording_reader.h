// Reads the records of a recording twice: first for what happened to processes and when, then for
// its samples.
//
// Ownership: borrows the file. Thread contract: one thread. Errors: damage ends the reading, and is
// kept for damage().
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/import/perf_data/kernel_symbols.h"
#include "engine/import/perf_data/perf_data_file.h"
#include "engine/import/perf_data/perf_processes.h"
#include "engine/support/expected.h"

namespace gprof::perf_data {

// What the first reading found.
struct PerfOverview {
  explicit PerfOverview(std::size_t most_pieces) : processes(most_pieces) {}

  PerfProcesses processes;
  std::uint64_t samples = 0;
  std::uint64_t first_time = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t last_time = 0;
  std::uint64_t lost = 0;           // samples that the kernel had no room for
  std::uint64_t unknown = 0;        // records of types that are not known
  std::uint64_t first_unknown = 0;  // its offset
  bool is_full = false;             // there are more mappings, names … than are kept
  std::optional<KernelBase> kernel;
  std::optional<Error> damage;
  // By process, where it was wanted.
  std::unordered_map<std::uint32_t, std::uint64_t, NumberHash> samples_of;
};

// `most_bytes` of the file are read. `by_process`: counts samples by process.
[[nodiscard]] PerfOverview look_through(PerfDataFile& file, bool by_process,
                                        std::uint64_t most_bytes = ~std::uint64_t{0});

}  // namespace gprof::perf_data
