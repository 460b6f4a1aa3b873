#include "engine/comparison/mean_time.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gprof {
namespace {

// Error of one run whose times were measured by a clock.
constexpr double relative_error_of_clock = 0.03;
constexpr Seconds least_error_of_clock = 0.001;

}  // namespace

MeanTime mean_time(const TimeRuns& runs) {
  MeanTime result;
  const std::size_t count = std::min(runs.ticks.size(), runs.rates.size());
  const auto k = static_cast<double>(count);
  std::vector<Seconds> seconds;
  double variance_of_ticks = 0;
  double dispersion = 0;  // the largest; 0: all are exact
  Seconds hidden = 0;     // what the tick may have given to others
  for (std::size_t i = 0; i < count; ++i) {
    const double rate = runs.rates[i];
    if (!(rate > 0)) continue;
    const Ticks ticks = std::max(runs.ticks[i], 0.0);
    seconds.push_back(ticks / rate);
    result.mean += ticks / rate / k;
    result.ticks += ticks;
    result.exposure += rate;
    const SampleErrors errors = i < runs.errors.size() ? runs.errors[i] : SampleErrors();
    if (errors.by_clock() && ticks > 0) {
      const Seconds error = relative_error_of_clock * ticks / rate + least_error_of_clock;
      result.sampling_variance += square(error / k);
    }
    if (errors.exact()) continue;
    const double random = errors.random_variance_of(ticks);
    const double of_tick = errors.tick_variance_of(ticks);
    variance_of_ticks += random + of_tick;
    result.sampling_variance += (random + of_tick) / square(rate * k);
    result.tick_variance += of_tick / square(rate * k);
    dispersion = std::max(dispersion, errors.dispersion());
    hidden += (errors.most_without_sample() -
               SampleErrors().most_without_sample() * errors.dispersion()) /
              (rate * k);
    result.variance_by_mean += errors.dispersion() / rate / square(k);
  }
  result.evidence = variance_of_ticks > 0 ? square(result.ticks) / variance_of_ticks : result.ticks;
  // Together, the runs are like one that was sampled that much more often.
  if (dispersion > 0 && result.exposure > 0) {
    result.below = SampleErrors().most_without_sample() * dispersion / result.exposure + hidden;
  }
  result.run_count = k * runs.runs_each;
  result.variance = result.sampling_variance;
  if (seconds.size() < 2) return result;
  for (const Seconds time : seconds) result.between_runs += square(time - result.mean);
  result.between_freedom = static_cast<double>(seconds.size()) - 1;
  result.between_runs /= result.between_freedom;
  if (result.between_runs / k > result.variance) {
    result.variance = result.between_runs / k;
    result.between_leads = true;
  }
  return result;
}

}  // namespace gprof
