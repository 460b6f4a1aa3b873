// Whether samples came at the requested rate: otherwise times are too small or too large by the
// same factor. Nothing is scaled; it is reported, with the reason if the figures show it.
//
// If the clock says for how much CPU time it ran, that is compared with the CPU time minus the
// sampling time; otherwise the number of samples is. Reported only if chance does not explain it:
// three standard deviations of the samples, or of what ticks placed beside perf's clock.
//
// Units: times are nanoseconds, rates samples per second of CPU time. Thread contract: pure
// functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

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

// The rate at which the clock ran or, if the collector did not say, at which samples came. None
// without CPU time, or if the figures contradict each other.
[[nodiscard]] std::optional<double> delivered_rate(const SampledRun& run);

// Whether there are enough samples to say at which rate they came.
[[nodiscard]] bool rate_can_be_judged(const SampledRun& run);

struct MissedRate {
  double off = 0;      // how far times are too large, as a fraction; negative: too small
  std::string effect;  // what it does to the figures and, if they show it, why; without a full stop
};
// None if 95 to 105 % were delivered, or fewer than three samples are missing; where the rate can
// not be judged, only if chance does not explain it.
[[nodiscard]] std::optional<MissedRate> missed_rate(const SampledRun& run);

// The same as a profile's warning: what is wrong, why, and what to do. None if the kernel took the
// time, and less than 10 % of it.
[[nodiscard]] std::optional<std::string> rate_warning(const SampledRun& run);

}  // namespace gprof
