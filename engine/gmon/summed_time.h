// How the times of several runs lie in that of their sum: see sidecar_sum.h.
//
// Units: nanoseconds. Thread contract: value types and pure functions. Errors: none; times that
// make no sense have no slice.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/gmon/sidecar.h"

namespace gprof {

// What is known of a run's time.
struct SummedRun {
  std::uint64_t start_time = 0;  // realtime clock
  std::uint64_t end_time = 0;
  std::uint64_t slice_width = 0;  // 0: it has no slices
  std::uint32_t slices = 0;
  std::uint32_t process = 0;
  std::uint64_t process_start = 0;
  std::uint32_t recorded_process = 0;
  // Where it begins in the sum; set by lay_out().
  std::uint64_t offset = 0;
};
[[nodiscard]] SummedRun run_time_of(const Sidecar& sidecar);

// A part, and which run it is from, of which it still has the slice.
struct SummedPart {
  SidecarPart part;
  std::uint32_t run = 0;
};

struct SummedTime {
  std::uint64_t slice_width = 0;  // 0: no run has slices
  std::uint32_t slices = 0;
};
// Sets the offsets.
[[nodiscard]] SummedTime lay_out(std::vector<SummedRun>& runs);

// The sum's slice that has a slice of the run.
[[nodiscard]] std::uint32_t slice_in_sum(std::uint32_t slice, const SummedRun& run,
                                         const SummedTime& sum);

}  // namespace gprof
