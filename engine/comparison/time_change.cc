#include "engine/comparison/time_change.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gprof {
namespace {

constexpr double largest_drift = 0.5;
constexpr Ticks least_ticks_to_compare = 10;
// Fewer ticks get a smaller weight.
constexpr Ticks ticks_of_full_weight = 80;
// In standard deviations: 80 % of the normal distribution are below this.
constexpr double likely_beyond = 0.8416;

// What a difference is compared with.
struct Expectation {
  Seconds excess = 0;      // beyond the times that are expected
  double sampling = 0;     // variance
  double of_drift = 0;     // variance
  double shown_drift = 0;  // variance, as displayed
};

Expectation expectation(const MeanTime& before, const MeanTime& after, const Drift& drift) {
  Expectation result;
  const double exposure = before.exposure + after.exposure;
  const double common_mean = exposure > 0 ? (before.ticks + after.ticks) / exposure : 0;
  const double common_rate = common_mean * (before.variance_by_mean + after.variance_by_mean) +
                             before.tick_variance + after.tick_variance;
  result.sampling = std::max(before.sampling_variance + after.sampling_variance, common_rate);
  const auto limited = [](double shift) {
    return std::clamp(shift, -largest_drift, largest_drift);
  };
  result.of_drift = square(drift.error * before.mean);
  result.shown_drift = std::max(result.of_drift, square(limited(drift.ratio - 1) * before.mean));
  const Seconds shift = limited(drift.beyond_error(1)) * before.mean;
  const Seconds difference = after.mean - before.mean;
  result.excess = difference - std::clamp(difference, std::min(shift, 0.0), std::max(shift, 0.0));
  return result;
}

double variance_of_runs(const MeanTime& side, double variation) {
  return side.run_count > 0 ? square(variation * side.mean) / side.run_count : 0;
}

// With each side's own variance between runs.
void test_by_own_runs(TimeChange& change, const MeanTime& before, const MeanTime& after,
                      const Expectation& expected) {
  const double of_times = std::max(before.variance + after.variance, expected.sampling);
  const double variance = of_times + expected.of_drift;
  change.before_error = std::sqrt(before.variance);
  change.after_error = std::sqrt(after.variance);
  change.error = std::sqrt(of_times + expected.shown_drift);
  change.evidence.run_variance =
      before.run_count * before.variance + after.run_count * after.variance;
  double uncertainty = 0;
  for (const MeanTime* side : {&before, &after}) {
    if (side->between_leads) uncertainty += square(side->variance) / side->between_freedom;
  }
  if (uncertainty > 0) change.degrees_of_freedom = square(variance) / uncertainty;
  if (!(variance > 0)) {
    change.probability = expected.excess == 0 ? 1 : 0;
    return;
  }
  change.probability =
      two_sided_probability(expected.excess / std::sqrt(variance), change.degrees_of_freedom);
}

// With the variance between runs that is likely for the function.
void test_by_common_runs(TimeChange& change, const MeanTime& before, const MeanTime& after,
                         const Expectation& expected, const RunVariation& variation) {
  double of_before = 0;
  double of_after = 0;
  change.probability = 0;
  for (const PossibleVariation& possible : variation.of(before, after)) {
    const double old_runs = variance_of_runs(before, possible.relative);
    const double new_runs = variance_of_runs(after, possible.relative);
    const double variance = expected.sampling + old_runs + new_runs + expected.of_drift;
    const double probability =
        variance > 0
            ? two_sided_probability(expected.excess / std::sqrt(variance), many_degrees_of_freedom)
            : double(expected.excess == 0);
    change.probability += possible.weight * probability;
    of_before += possible.weight * old_runs;
    of_after += possible.weight * new_runs;
  }
  change.before_error = std::sqrt(before.sampling_variance + of_before);
  change.after_error = std::sqrt(after.sampling_variance + of_after);
  change.error = std::sqrt(expected.sampling + of_before + of_after + expected.shown_drift);
  change.evidence.run_variance = before.run_count * (before.sampling_variance + of_before) +
                                 after.run_count * (after.sampling_variance + of_after);
}

// How many runs on each side would decide at a level of its own; see TimeChange.
std::optional<std::size_t> runs_that_decide(const TimeChange& change, double level) {
  const Evidence& evidence = change.evidence;
  if (change.significant || std::abs(change.difference()) <= change.error) return std::nullopt;
  const double needed = square(normal_quantile(level) + likely_beyond);
  const double left = square(evidence.excess) - evidence.lasting_variance * needed;
  if (!(left > 0)) return std::nullopt;
  const double runs =
      std::max(std::ceil(evidence.run_variance * needed / left), std::floor(evidence.runs) + 1);
  if (runs > static_cast<double>(most_runs_to_decide)) return std::nullopt;
  return static_cast<std::size_t>(runs);
}

}  // namespace

TimeChange time_change(const MeanTime& before, const MeanTime& after, const Drift& drift,
                       const RunVariation& variation) {
  TimeChange change;
  change.before = before.mean;
  change.after = after.mean;
  if (!(before.ticks > 0)) change.before_below = before.below;
  if (!(after.ticks > 0)) change.after_below = after.below;
  const Ticks evidence = before.evidence + after.evidence;
  change.enough_samples = evidence >= least_ticks_to_compare;
  change.test_weight = std::min(1.0, square(evidence / ticks_of_full_weight));
  const Expectation expected = expectation(before, after, drift);
  change.evidence.excess = expected.excess;
  change.evidence.lasting_variance = square(drift.lasting_error * before.mean);
  change.evidence.runs = std::max(before.run_count, after.run_count);
  if (variation.known()) {
    test_by_common_runs(change, before, after, expected, variation);
  } else {
    test_by_own_runs(change, before, after, expected);
  }
  return change;
}

void mark_significant(std::span<TimeChange*> changes, double level) {
  std::vector<TimeChange*> tested;
  double weights = 0;
  for (TimeChange* change : changes) {
    change->significant = false;
    change->runs_to_decide.reset();
    if (!change->enough_samples) continue;
    tested.push_back(change);
    weights += change->test_weight;
  }
  const auto weighted = [](const TimeChange* change) {
    return change->probability / change->test_weight;
  };
  std::stable_sort(tested.begin(), tested.end(), [&](const TimeChange* a, const TimeChange* b) {
    return weighted(a) < weighted(b);
  });
  double left = weights;
  for (TimeChange* change : tested) {
    if (weighted(change) > level / left) break;
    change->significant = true;
    left -= change->test_weight;
  }
  // As strictly as the first one is tested.
  for (TimeChange* change : tested) {
    change->runs_to_decide = runs_that_decide(*change, level * change->test_weight / weights);
  }
}

}  // namespace gprof
