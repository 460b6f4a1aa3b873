#include "engine/comparison/run_variation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gprof {
namespace {

constexpr Ticks evidence_per_run = 5;
constexpr double smallest_variation = 0.003;
constexpr double step_of_variation = 1.3;
constexpr double all_alike = std::numeric_limits<double>::infinity();
constexpr double impossible = -std::numeric_limits<double>::infinity();
constexpr double no_variation_at_all = 0.5;
constexpr double usual_variation = 0.03;
constexpr double log_factor_of_usual = 0.9;
// Choices with smaller weights are left out.
constexpr double negligible = 1e-7;

constexpr std::array<double, 11> common_variations = {0.01, 0.015, 0.02, 0.03, 0.045, 0.07,
                                                      0.1,  0.15,  0.22, 0.33, 0.5};
struct Freedom {
  double degrees = 0;
  double weight = 0;
};
constexpr std::array<Freedom, 5> freedoms = {
    {{1, 0.06}, {2, 0.14}, {4, 0.25}, {8, 0.3}, {all_alike, 0.25}}};

// The variance of one run from its samples alone.
double sampling_variance_of_run(const MeanTime& time) {
  return time.sampling_variance * time.run_count;
}

// The log-likelihood of the side's sample variance if its runs vary by `variation` beyond their
// samples: s² ~ σ² · χ²(d) / d. Constants that are the same for every variation are left out.
double log_likelihood(const MeanTime& side, double variation) {
  if (!(side.between_freedom > 0)) return 0;
  const double sampled = sampling_variance_of_run(side);
  // Costs that were counted and are the same in each run are no evidence.
  const double reference = sampled > 0 ? sampled : side.between_runs;
  if (!(reference > 0)) return 0;
  const double expected = sampled + square(variation * side.mean);
  if (!(expected > 0)) return impossible;
  return -side.between_freedom / 2 *
         (std::log(expected / reference) + side.between_runs / expected);
}

bool is_evidence(const MeanTime& before, const MeanTime& after) {
  return before.between_freedom + after.between_freedom > 0 &&
         before.evidence + after.evidence >=
             evidence_per_run * (before.run_count + after.run_count);
}

template <typename Grid>
void normalize(Grid& weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight /= sum;
}

// One choice of d0 and c0.
template <typename Grid>
struct CommonVariation {
  double relative = 0;
  double log_weight = 0;
  Grid prior{};
};

}  // namespace

RunVariation::Grid RunVariation::variations() {
  Grid grid{};
  double variation = smallest_variation;
  for (std::size_t i = 1; i < steps; ++i, variation *= step_of_variation) grid[i] = variation;
  return grid;
}

// The density of log c is (c0 / c)^d0 · exp(−d0 / 2 · (c0 / c)²), up to a constant.
RunVariation::Grid RunVariation::prior(double common, double freedom) {
  static const Grid grid = variations();
  Grid weights{};
  if (!(common > 0)) {
    weights[0] = 1;
    return weights;
  }
  if (freedom == all_alike) {
    const auto nearest =
        std::min_element(grid.begin() + 1, grid.end(), [common](double a, double b) {
          return std::abs(std::log(a / common)) < std::abs(std::log(b / common));
        });
    weights[static_cast<std::size_t>(nearest - grid.begin())] = 1;
    return weights;
  }
  for (std::size_t i = 1; i < steps; ++i) {
    const double ratio = square(common / grid[i]);
    weights[i] = std::exp(freedom / 2 * (std::log(ratio) - ratio));
  }
  normalize(weights);
  return weights;
}

RunVariation::Grid RunVariation::log_likelihoods(const MeanTime& before, const MeanTime& after) {
  static const Grid grid = variations();
  Grid likelihoods{};
  for (std::size_t i = 0; i < steps; ++i) {
    likelihoods[i] = log_likelihood(before, grid[i]) + log_likelihood(after, grid[i]);
  }
  return likelihoods;
}

RunVariation::RunVariation(std::span<const MeanTime> before, std::span<const MeanTime> after) {
  std::vector<CommonVariation<Grid>> choices;
  choices.push_back({0, std::log(no_variation_at_all), prior(0, all_alike)});
  for (const double common : common_variations) {
    const double usual = -square(std::log(common / usual_variation) / log_factor_of_usual) / 2;
    for (const Freedom& freedom : freedoms) {
      choices.push_back({common, std::log((1 - no_variation_at_all) * freedom.weight) + usual,
                         prior(common, freedom.degrees)});
    }
  }
  const std::size_t count = std::min(before.size(), after.size());
  for (std::size_t i = 0; i < count; ++i) {
    known_ = known_ || before[i].between_freedom + after[i].between_freedom > 0;
    if (!is_evidence(before[i], after[i])) continue;
    // Likelihoods are relative to the largest one, which is the same for every choice.
    Grid likelihoods = log_likelihoods(before[i], after[i]);
    const double largest = *std::max_element(likelihoods.begin(), likelihoods.end());
    for (double& value : likelihoods) value = std::exp(value - largest);
    for (CommonVariation<Grid>& choice : choices) {
      double likelihood = 0;
      for (std::size_t j = 0; j < steps; ++j) likelihood += choice.prior[j] * likelihoods[j];
      choice.log_weight += std::log(std::max(likelihood, std::numeric_limits<double>::min()));
    }
  }
  if (!known_) return;
  double largest = impossible;
  for (const auto& choice : choices) largest = std::max(largest, choice.log_weight);
  double sum = 0;
  for (const auto& choice : choices) {
    const double weight = std::exp(choice.log_weight - largest);
    sum += weight;
    typical_ += weight * choice.relative;
    for (std::size_t j = 0; j < steps; ++j) prior_[j] += weight * choice.prior[j];
  }
  typical_ /= sum;
  normalize(prior_);
}

std::vector<PossibleVariation> RunVariation::of(const MeanTime& before,
                                                const MeanTime& after) const {
  if (!known_) return {{0, 1}};
  static const Grid grid = variations();
  Grid weights = log_likelihoods(before, after);
  double largest = impossible;
  for (std::size_t i = 0; i < steps; ++i) {
    weights[i] = prior_[i] > 0 ? weights[i] + std::log(prior_[i]) : impossible;
    largest = std::max(largest, weights[i]);
  }
  // Counted costs that vary although the prior rules it out: take the largest variation.
  if (largest == impossible) return {{grid.back(), 1}};
  std::vector<PossibleVariation> possible;
  double sum = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const double weight = std::exp(weights[i] - largest);
    if (weight < negligible) continue;
    possible.push_back({grid[i], weight});
    sum += weight;
  }
  for (PossibleVariation& choice : possible) choice.weight /= sum;
  return possible;
}

}  // namespace gprof
