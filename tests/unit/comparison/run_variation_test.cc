// Whether the variance of few runs is shrunk as the model says.
#include "engine/comparison/run_variation.h"

#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include "engine/comparison/time_change.h"

using namespace gprof;

namespace {

constexpr double rate = 1000;

MeanTime mean_of(const std::vector<Ticks>& ticks, const std::vector<SampleErrors>& errors = {}) {
  const std::vector<double> rates(ticks.size(), rate);
  return mean_time({ticks, rates, errors});
}

// Functions whose runs vary by `variation` beyond their samples.
std::vector<MeanTime> varying(std::mt19937& random, std::size_t functions, int runs, double ticks,
                              double variation) {
  std::normal_distribution<double> normal;
  std::vector<MeanTime> means;
  for (std::size_t i = 0; i < functions; ++i) {
    std::vector<Ticks> of_runs;
    for (int run = 0; run < runs; ++run) {
      const double mean = ticks * std::max(0.0, 1 + variation * normal(random));
      of_runs.push_back(std::poisson_distribution<int>(mean)(random));
    }
    means.push_back(mean_of(of_runs));
  }
  return means;
}

// The square root of the mean square.
double expected_variation(const std::vector<PossibleVariation>& possible) {
  double sum = 0;
  for (const PossibleVariation& each : possible) sum += each.weight * each.relative * each.relative;
  return std::sqrt(sum);
}

}  // namespace

TEST_CASE("with one run a side it is unknown how much runs vary") {
  const std::vector<MeanTime> one = {mean_of({100}), mean_of({200})};
  const RunVariation variation(one, one);
  CHECK_FALSE(variation.known());
  CHECK_FALSE(RunVariation().known());
  const auto possible = variation.of(one[0], one[0]);
  REQUIRE(possible.size() == 1);
  CHECK(possible[0].relative == 0);
  CHECK(possible[0].weight == 1);
}

TEST_CASE("what is possible adds up to one") {
  std::mt19937 random(1);
  const auto before = varying(random, 10, 3, 300, 0.05);
  const auto after = varying(random, 10, 3, 300, 0.05);
  const RunVariation variation(before, after);
  for (std::size_t i = 0; i < before.size(); ++i) {
    double sum = 0;
    for (const auto& each : variation.of(before[i], after[i])) sum += each.weight;
    CHECK(sum == Approx(1));
  }
}

TEST_CASE("the variation that functions have in common is found") {
  // 200 functions of 3 runs a side have 800 degrees of freedom: the variance of their runs is known
  // to √(2 / 800) = 5 %, and what is beyond that of the samples (1 / 2000) to some 10 % of it.
  std::mt19937 random(2);
  for (const double variation : {0.0, 0.05, 0.15}) {
    const auto before = varying(random, 200, 3, 2000, variation);
    const auto after = varying(random, 200, 3, 2000, variation);
    const RunVariation found(before, after);
    CAPTURE(variation);
    if (variation > 0) {
      // The choices are a factor of 1.5 apart.
      CHECK(found.typical() > variation / 1.3);
      CHECK(found.typical() < variation * 1.3);
    } else {
      CHECK(found.typical() < 0.005);
    }
  }
}

TEST_CASE("a function's few runs are shrunk towards the others") {
  std::mt19937 random(3);
  const auto before = varying(random, 100, 3, 2000, 0.05);
  const auto after = varying(random, 100, 3, 2000, 0.05);
  const RunVariation variation(before, after);
  // By chance, three runs are alike, or far apart: a standard deviation of 0 and of 10 %.
  const MeanTime alike = mean_of({2000, 2000, 2000});
  const MeanTime apart = mean_of({1800, 2000, 2200});
  const double lucky = expected_variation(variation.of(alike, alike));
  const double unlucky = expected_variation(variation.of(apart, apart));
  CHECK(lucky > 0.025);
  CHECK(lucky < 0.05);
  CHECK(unlucky > 0.05);
  CHECK(unlucky < 0.1);
  // With many runs, it is their own that counts.
  const MeanTime many = mean_of(std::vector<Ticks>(60, 2000));
  CHECK(expected_variation(variation.of(many, many)) < lucky / 1.5);
}

TEST_CASE("without a known part the test is Student's moderated one") {
  // Times that are all but exact, of functions that certainly share one variance: Smyth's d0 is
  // infinite, and the test the normal one with that variance.
  std::mt19937 random(4);
  const auto before = varying(random, 300, 4, 1e6, 0.1);
  const auto after = varying(random, 300, 4, 1e6, 0.1);
  const RunVariation variation(before, after);
  const MeanTime old_time = mean_of({0.95e6, 1.05e6, 0.9e6, 1.1e6});
  const MeanTime new_time = mean_of({1.15e6, 1.25e6, 1.1e6, 1.3e6});
  const TimeChange change = time_change(old_time, new_time, {}, variation);
  // 0.2 of 1 is tested with 0.1 · √(1 / 4 + 1.44 / 4).
  const double expected = 0.2 / (0.1 * std::sqrt(0.25 + 0.36));
  CHECK(change.difference() / change.error == Approx(expected).epsilon(0.12));
  CHECK(change.probability > two_sided_probability(expected * 1.12, many_degrees_of_freedom));
  CHECK(change.probability < two_sided_probability(expected / 1.12, 30));
}

TEST_CASE("no function is steadier than its samples") {
  std::mt19937 random(5);
  const auto before = varying(random, 50, 3, 200, 0);
  const RunVariation variation(before, before);
  const MeanTime alike = mean_of({400, 400, 400});
  const TimeChange change = time_change(alike, alike, {}, variation);
  CHECK(change.error >= std::sqrt(2 * 400.0 / 3) / rate);
  CHECK(change.error < 1.05 * std::sqrt(2 * 400.0 / 3) / rate);
}
