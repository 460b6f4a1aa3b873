#include "engine/comparison/time_change.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace gprof {
namespace {

constexpr std::size_t no_place = ~std::size_t{0};
// A ratio with fewer ticks on a side is no evidence.
constexpr Ticks least_evidence = 5;
constexpr double least_error_of_ratio = 0.05;
constexpr double least_weight_of_drift = 150;
constexpr double largest_drift = 0.5;
// Error of the median of normal variables, relative to that of their mean.
constexpr double error_of_median = 1.25;
constexpr Ticks least_ticks_to_compare = 10;
// Of one run, for times that a clock gave.
constexpr double relative_error_of_clock = 0.03;
constexpr Seconds least_error_of_clock = 0.001;

// The places, in ascending order of values, where half of the weight is reached and exceeded.
struct Weighted {
  double value = 0;
  double weight = 0;
};

double weighted_median(std::vector<Weighted> values) {
  std::sort(values.begin(), values.end(),
            [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  double half = 0;
  for (const Weighted& value : values) half += value.weight / 2;
  double passed = 0;
  for (const Weighted& value : values) {
    passed += value.weight;
    if (passed >= half) return value.value;
  }
  return 0;
}

double square(double value) { return value * value; }

}  // namespace

MeanTime mean_time(const TimeRuns& runs, double relative_spread) {
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
  result.variance = result.sampling_variance;
  if (seconds.size() < 2) return result;
  for (const Seconds time : seconds) result.between_runs += square(time - result.mean);
  result.between_freedom = static_cast<double>(seconds.size()) - 1;
  result.between_runs /= result.between_freedom;
  result.variance += square(relative_spread * result.mean) / k;
  if (result.between_runs / k > result.variance) {
    result.variance = result.between_runs / k;
    result.between_leads = true;
  }
  return result;
}

double relative_spread(std::span<const MeanTime> figures, std::size_t run_count) {
  if (run_count < 2) return 0;
  const auto k = static_cast<double>(run_count);
  // Half of all sample variances are below this fraction of the true one (Wilson and Hilferty's
  // approximation of the median of a chi-squared variable).
  const double freedom = k - 1;
  const double median_of_variance = std::pow(1 - 2 / (9 * freedom), 3);
  std::vector<Weighted> spreads;
  for (const MeanTime& figure : figures) {
    if (figure.evidence < least_evidence * k) continue;
    const double beyond = figure.between_runs / median_of_variance - k * figure.sampling_variance;
    const double weight = 1 / (1 / figure.evidence + square(least_error_of_ratio));
    spreads.push_back({beyond / square(figure.mean), weight});
  }
  return std::sqrt(std::max(0.0, weighted_median(std::move(spreads))));
}

TimeChange time_change(const MeanTime& before, const MeanTime& after, const Drift& drift) {
  TimeChange change;
  change.before = before.mean;
  change.before_error = std::sqrt(before.variance);
  change.after = after.mean;
  change.after_error = std::sqrt(after.variance);
  if (!(before.ticks > 0)) change.before_below = before.below;
  if (!(after.ticks > 0)) change.after_below = after.below;
  change.enough_samples = before.evidence + after.evidence >= least_ticks_to_compare;
  const double exposure = before.exposure + after.exposure;
  const double common_mean = exposure > 0 ? (before.ticks + after.ticks) / exposure : 0;
  const double common_rate = common_mean * (before.variance_by_mean + after.variance_by_mean) +
                             before.tick_variance + after.tick_variance;
  const double shift = std::clamp(drift.ratio - 1, -largest_drift, largest_drift) * before.mean;
  const double of_times = std::max(before.variance + after.variance, common_rate);
  const double of_drift = square(drift.error * before.mean);
  const double variance = of_times + of_drift;
  change.error = std::sqrt(of_times + std::max(of_drift, square(shift)));
  double uncertainty = 0;
  for (const MeanTime* side : {&before, &after}) {
    if (side->between_leads) uncertainty += square(side->variance) / side->between_freedom;
  }
  if (uncertainty > 0) change.degrees_of_freedom = square(variance) / uncertainty;
  const double expected =
      std::clamp(change.difference(), std::min(shift, 0.0), std::max(shift, 0.0));
  if (!(variance > 0)) {
    change.probability = change.difference() == expected ? 1 : 0;
    return change;
  }
  change.probability = two_sided_probability((change.difference() - expected) / std::sqrt(variance),
                                             change.degrees_of_freedom);
  return change;
}

CommonDrift::CommonDrift(std::span<const MeanTime> before, std::span<const MeanTime> after,
                         const std::vector<bool>& left_out) {
  const std::size_t count = std::min(before.size(), after.size());
  std::vector<std::pair<Ratio, std::size_t>> found;
  for (std::size_t i = 0; i < count; ++i) {
    if (before[i].evidence < least_evidence || after[i].evidence < least_evidence) continue;
    if (i < left_out.size() && left_out[i]) continue;
    const double weight =
        1 / (1 / before[i].evidence + 1 / after[i].evidence + square(least_error_of_ratio));
    found.push_back({{after[i].mean / before[i].mean, weight}, i});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first.ratio < b.first.ratio; });
  place_.assign(count, no_place);
  double weight = 0;
  for (const auto& [ratio, figure] : found) {
    place_[figure] = ratios_.size();
    ratios_.push_back(ratio);
    weight_up_to_.push_back(weight += ratio.weight);
  }
}

Drift CommonDrift::median(double excluded_weight, std::size_t excluded_place) const {
  const double all = ratios_.empty() ? 0 : weight_up_to_.back() - excluded_weight;
  if (all < least_weight_of_drift) return {};
  auto up_to = [&](std::size_t place) {
    return weight_up_to_[place] - (excluded_place <= place ? excluded_weight : 0);
  };
  // The first place for which this holds; it then holds for all later ones. Not the excluded one,
  // which adds no weight.
  auto first_with = [&](auto holds) {
    std::size_t low = 0;
    std::size_t high = ratios_.size() - 1;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (holds(up_to(middle))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  };
  // Sums of weights are inexact.
  const double slack = all * 1e-9;
  const double lower =
      ratios_[first_with([&](double weight) { return weight >= all / 2 - slack; })].ratio;
  const double upper =
      ratios_[first_with([&](double weight) { return weight > all / 2 + slack; })].ratio;
  return {std::clamp(1.0, lower, std::max(lower, upper)), error_of_median / std::sqrt(all), true};
}

Drift CommonDrift::of_all() const { return median(0, no_place); }

Drift CommonDrift::without(std::size_t figure) const {
  const std::size_t place = figure < place_.size() ? place_[figure] : no_place;
  return place == no_place ? of_all() : median(ratios_[place].weight, place);
}

void mark_significant(std::span<TimeChange*> changes, double level) {
  std::vector<TimeChange*> tested;
  for (TimeChange* change : changes) {
    change->significant = false;
    if (change->enough_samples) tested.push_back(change);
  }
  std::stable_sort(tested.begin(), tested.end(), [](const TimeChange* a, const TimeChange* b) {
    return a->probability < b->probability;
  });
  for (std::size_t i = 0; i < tested.size(); ++i) {
    if (tested[i]->probability > level / static_cast<double>(tested.size() - i)) return;
    tested[i]->significant = true;
  }
}

}  // namespace gprof
