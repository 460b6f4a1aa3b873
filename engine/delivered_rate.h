// Whether samples came at the rate that was asked for: else times are too small, or too large, by
// as much. Nothing is scaled; it is told, with the reason as far as the figures tell it.
//
// Where the clock tells for how much CPU time it ran, that is held against the CPU time less what
// taking the samples took; else the number of samples is. Judged only where chance does not explain
// it: three standard deviations of the samples, or of what ticks placed beside perf's clock.
//
// Units: times are nanoseconds, rates samples a second of CPU time. Thread contract: pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/gmon/sidecar.h"

namespace gprof {

// One run, or several together.
struct SampledRun {
  std::uint32_t requested_rate = 0;
  SampleSource source = SampleSource::none;
  std::uint64_t cpu_time = 0;
  std::uint64_t samples = 0;  // by weight
  std::uint64_t lost_samples = 0;
  std::size_t threads = 0;
  SamplingQuality sampling;
};
[[nodiscard]] SampledRun sampled_run(const Sidecar& sidecar);

// The rate at which the clock ran, or, where the collector did not say, at which samples came. None
// without CPU time, and where the figures contradict each other.
[[nodiscard]] std::optional<double> delivered_rate(const SampledRun& run);

struct MissedRate {
  double off = 0;           // by how much times are too large, in parts of them; below 0: too small
  std::string_view reason;  // half a sentence; empty where the figures do not tell
};
// None where 95 to 105 % were delivered, or where fewer than three samples are missing.
[[nodiscard]] std::optional<MissedRate> missed_rate(const SampledRun& run);

// The same as a warning of a profile: what is wrong, why, and what to do.
[[nodiscard]] std::optional<std::string> rate_warning(const SampledRun& run);

}  // namespace gprof
