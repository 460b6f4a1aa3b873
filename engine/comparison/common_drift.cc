#include "engine/comparison/common_drift.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gprof {
namespace {

constexpr std::size_t no_place = ~std::size_t{0};
// A ratio with fewer ticks on a side is no evidence.
constexpr Ticks least_evidence = 5;
constexpr double least_error_of_ratio = 0.05;
constexpr double least_weight_of_drift = 150;
// Error of the median of normal variables, relative to that of their mean: √(π/2).
constexpr double error_of_median = 1.2533141373155003;
constexpr double difference_of_builds = 0.02;

}  // namespace

double difference_of_ratios(double variation, std::size_t runs_before, std::size_t runs_after) {
  const double of_runs = 1 / static_cast<double>(std::max<std::size_t>(runs_before, 1)) +
                         1 / static_cast<double>(std::max<std::size_t>(runs_after, 1));
  return std::sqrt(variation * variation * of_runs + difference_of_builds * difference_of_builds);
}

double Drift::beyond_error(double errors) const {
  const double off = ratio - 1;
  if (!known || off == 0 || std::abs(off) <= errors * error) return 0;
  return off * (1 - error * error / (off * off));
}

CommonDrift::CommonDrift(std::span<const MeanTime> before, std::span<const MeanTime> after,
                         const std::vector<bool>& left_out, double difference)
    : difference_(difference) {
  const std::size_t count = std::min(before.size(), after.size());
  std::vector<std::pair<Ratio, std::size_t>> found;
  for (std::size_t i = 0; i < count; ++i) {
    if (before[i].evidence < least_evidence || after[i].evidence < least_evidence) continue;
    if (i < left_out.size() && left_out[i]) continue;
    const double sampled = 1 / before[i].evidence + 1 / after[i].evidence;
    const double weight = 1 / (sampled + least_error_of_ratio * least_error_of_ratio);
    const double error = std::sqrt(sampled + difference * difference);
    found.push_back({{after[i].mean / before[i].mean, weight, weight / error}, i});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first.ratio < b.first.ratio; });
  place_.assign(count, no_place);
  double weight = 0;
  for (const auto& [ratio, figure] : found) {
    place_[figure] = ratios_.size();
    ratios_.push_back(ratio);
    weight_up_to_.push_back(weight += ratio.weight);
    squared_weights_ += ratio.weight * ratio.weight;
    weights_by_error_ += ratio.weight_by_error;
  }
}

Drift CommonDrift::median(const Ratio& excluded, std::size_t excluded_place) const {
  const double excluded_weight = excluded.weight;
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
  const double squared = squared_weights_ - excluded_weight * excluded_weight;
  const double of_normal = std::sqrt(std::max(squared, 0.0)) * error_of_median;
  return {std::clamp(1.0, lower, std::max(lower, upper)),
          of_normal / (weights_by_error_ - excluded.weight_by_error), true,
          of_normal / all * difference_};
}

Drift CommonDrift::of_all() const { return median({1, 0, 0}, no_place); }

Drift CommonDrift::without(std::size_t figure) const {
  const std::size_t place = figure < place_.size() ? place_[figure] : no_place;
  return place == no_place ? of_all() : median(ratios_[place], place);
}

}  // namespace gprof
