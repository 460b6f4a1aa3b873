#include "engine/delivered_rate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/support/digit_groups.h"

namespace gprof {
namespace {

constexpr double least_delivered = 0.95;
constexpr double most_delivered = 1.05;
// Of the CPU time; more is worth a warning wherever the profile is shown.
constexpr double usual_kernel_share = 0.1;
// If none of that many expected samples came, chance may explain it: the rule of three.
constexpr double unseen_samples = 3;
// If the clock itself said nothing, chance must be ruled out first: in standard deviations.
constexpr double clear_deviations = 3;

// With fewer, a rate is mostly chance, and what happened at the start and at the end.
constexpr double enough_samples = 100;

double cpu_seconds(const SampledRun& run) { return static_cast<double>(run.cpu_time) / 1e9; }

double expected_samples(const SampledRun& run) { return run.requested_rate * cpu_seconds(run); }

// One standard deviation of the number of samples.
double chance(const SampledRun& run) {
  return std::sqrt(expected_samples(run) + static_cast<double>(run.sampling.excess_variance));
}

// Deviations, in samples, that do not show that the clock ran too slowly or too fast.
double explained_by_chance(const SampledRun& run) {
  const SamplingQuality& sampling = run.sampling;
  if (sampling.covered_time == 0) return clear_deviations * chance(run);
  const double by_few = rate_can_be_judged(run) ? 0 : clear_deviations * chance(run);
  if (run.source != SampleSource::perf_clock) return by_few;
  return std::max(by_few,
                  clear_deviations * std::sqrt(static_cast<double>(sampling.excess_variance)));
}

bool is_by_ticks(SampleSource source) {
  return source == SampleSource::thread_timers || source == SampleSource::process_timer;
}

bool were_lost(const SampledRun& run, double off) {
  const double missing = -off * expected_samples(run);
  return off < 0 && static_cast<double>(run.lost_samples) > missing / 2;
}

bool is_kernels_time(const SampledRun& run, double off) {
  return off < 0 && run.source == SampleSource::perf_clock && !were_lost(run, off);
}

std::string_view reason_of(const SampledRun& run, double off) {
  if (were_lost(run, off)) return "the others were lost for want of memory";
  if (off < 0 && run.source == SampleSource::process_timer && run.threads > 1) {
    return "one timer serves all threads, and the signals of those that run at one time merge";
  }
  if (is_by_ticks(run.source)) {
    return "the program may be in step with the kernel's tick, by which its timers strike";
  }
  return "";
}

std::string effect_of(const SampledRun& run, double off) {
  const double share = std::abs(off) * 100;
  if (is_kernels_time(run, off)) {
    return fmt::format("{:.0f} % of the CPU time was in the kernel and was not sampled", share);
  }
  const std::string_view reason = reason_of(run, off);
  return fmt::format("times are about {:.0f} % too {}{}{}", share, off < 0 ? "small" : "large",
                     reason.empty() ? "" : ": ", reason);
}

}  // namespace

SampledRun sampled_run(const Sidecar& sidecar) {
  const SidecarProcess& process = sidecar.process;
  return {process.requested_rate, process.sample_source,  process.cpu_time, process.samples,
          process.lost_samples,   sidecar.threads.size(), process.sampling};
}

std::optional<double> delivered_rate(const SampledRun& run) {
  if (run.cpu_time == 0) return std::nullopt;
  const SamplingQuality& sampling = run.sampling;
  if (sampling.covered_time == 0) {
    return static_cast<double>(run.samples) / cpu_seconds(run);
  }
  // Absurd figures in a damaged file must not produce an absurd rate.
  if (sampling.sampling_time >= run.cpu_time) return std::nullopt;
  return run.requested_rate * (static_cast<double>(sampling.covered_time) /
                               static_cast<double>(run.cpu_time - sampling.sampling_time));
}

bool rate_can_be_judged(const SampledRun& run) { return expected_samples(run) >= enough_samples; }

std::optional<MissedRate> missed_rate(const SampledRun& run) {
  const auto delivered = delivered_rate(run);
  const double expected = expected_samples(run);
  if (!delivered || !(expected > 0)) return std::nullopt;
  const double share = *delivered / run.requested_rate;
  if (share >= least_delivered && share <= most_delivered) return std::nullopt;
  const double off = share - 1;
  if (std::abs(off) * expected < std::max(unseen_samples, explained_by_chance(run))) {
    return std::nullopt;
  }
  return MissedRate{off, effect_of(run, off)};
}

std::optional<std::string> rate_warning(const SampledRun& run) {
  const auto missed = missed_rate(run);
  if (!missed) return std::nullopt;
  // Hardly a program is without it; `record` has said so.
  if (is_kernels_time(run, missed->off) && missed->off > -usual_kernel_share) return std::nullopt;
  std::string text =
      fmt::format("was sampled at {:.1f} of {} Hz: {}", (1 + missed->off) * run.requested_rate,
                  digit_groups(run.requested_rate), missed->effect);
  if (is_by_ticks(run.source)) {
    text += "; allow perf's clock (kernel.perf_event_paranoid at most 2)";
  }
  return text;
}

}  // namespace gprof
