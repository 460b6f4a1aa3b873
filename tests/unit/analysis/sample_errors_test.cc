// How far off sampled times are: by the documented formula, and compared with samples drawn with a
// fixed seed.
#include "engine/analysis/sample_errors.h"

#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include "tests/support/test_seed.h"

using namespace gprof;

namespace {

SamplingQuality quality(std::uint64_t excess_variance, std::uint64_t tick_samples) {
  SamplingQuality quality;
  quality.excess_variance = excess_variance;
  quality.tick_samples = tick_samples;
  return quality;
}

SampleErrors errors_of(Ticks samples, std::uint64_t excess_variance, std::uint64_t tick_samples) {
  SampleErrors errors;
  errors.add(samples, quality(excess_variance, tick_samples));
  return errors;
}

// A run of `drawn` samples with this average weight, a fifth of them in one function.
struct DrawnRun {
  Ticks all = 0;
  Ticks of_function = 0;
  std::uint64_t excess_variance = 0;

  DrawnRun(std::mt19937& random, int drawn, unsigned weight) {
    const int count = std::poisson_distribution<int>(drawn)(random);
    std::bernoulli_distribution in_function(0.2);
    for (int i = 0; i < count; ++i) {
      all += weight;
      if (in_function(random)) of_function += weight;
      excess_variance += weight * (weight - 1);
    }
  }
};

}  // namespace

TEST_CASE("sample errors: n samples of which nothing else is known are off by their root") {
  const SampleErrors unknown;
  CHECK(unknown.error_of(100) == Approx(10));
  CHECK(unknown.error_of(0) == 0);
  CHECK(unknown.error_of(-1) == 0);
  CHECK(unknown.most_without_sample() == 3);
  CHECK(errors_of(1000, 0, 0).error_of(100) == Approx(10));
}

TEST_CASE("sample errors: weights and the tick make them larger, as the format says") {
  const SampleErrors weighted = errors_of(1000, 3000, 0);
  CHECK(weighted.error_of(100) == Approx(std::sqrt(100 + 100 * 0.9 * 3)));
  CHECK(weighted.error_of(1000) == Approx(std::sqrt(1000)));
  CHECK(weighted.most_without_sample() == Approx(3 * 4));
  const SampleErrors in_step = errors_of(1000, 3000, 200);
  CHECK(in_step.error_of(100) == Approx(std::sqrt(100 + 100 * 0.9 * 3 + 180 * 180)));
  CHECK(in_step.error_of(900) == Approx(std::sqrt(900 + 900 * 0.1 * 3 + 180 * 180)));
  CHECK(in_step.error_of(0) == Approx(200));
  CHECK(in_step.most_without_sample() == Approx(3 * 4 + 200));
  CHECK(in_step.tick_share() == Approx(0.2));
}

TEST_CASE("sample errors: weights of other code are none of the own code's") {
  SampleErrors errors;
  errors.add(1000, quality(3000, 0), {600, 0});
  CHECK(errors.error_of(100) == Approx(10));
  CHECK(errors.most_without_sample() == Approx(3));
  CHECK(errors.of_all_code() == errors_of(1000, 3000, 0));
  // Runs with less data add their maximum.
  errors.add(400, quality(1200, 0));
  CHECK(errors.error_of(140) == Approx(std::sqrt(140 + 140 * 0.9 * 1.2)));
  // It has no samples: it is as heavy as the rest.
  SampleErrors elsewhere;
  elsewhere.add(100, quality(300, 0), {0, 0});
  CHECK(elsewhere.most_without_sample() == Approx(3 * 4));
}

TEST_CASE("sample errors: costs that were counted have none") {
  CHECK(SampleErrors::none().error_of(100) == 0);
  CHECK(SampleErrors::none().most_without_sample() == 0);
  CHECK(SampleErrors::none().exact());
}

TEST_CASE("sample errors: what runs tell is added up, of a run that tells nothing its samples") {
  SampleErrors sum;
  sum.add(600, quality(1000, 50));
  sum.add(300, quality(500, 20));
  sum.add(100);
  CHECK(sum == errors_of(1000, 1500, 70));
}

TEST_CASE("sample errors: the tick may have hidden more than it found") {
  CHECK(errors_of(0, 0, 200).error_of(0) == Approx(200));
  CHECK(errors_of(100, 0, 200).error_of(50) == Approx(std::sqrt(50 + 100 * 100)));
  CHECK(errors_of(100, 0, 200).tick_share() == 1);
}

TEST_CASE("sample errors: numbers that contradict each other make no nonsense") {
  CHECK(errors_of(0, 1'000'000, 0).error_of(4) == Approx(2));
  CHECK(errors_of(10, 0, 0).error_of(40) == Approx(std::sqrt(40)));
}

TEST_CASE("sample errors: times of drawn samples vary by what they are said to be off by") {
  std::mt19937 random(test_seed(17));
  constexpr int runs = 4000;
  for (const unsigned weight : {1U, 4U}) {
    CAPTURE(weight);
    double sum = 0;
    double squares = 0;
    double told = 0;
    for (int i = 0; i < runs; ++i) {
      const DrawnRun run(random, 500, weight);
      sum += run.of_function;
      squares += run.of_function * run.of_function;
      const SampleErrors errors = errors_of(run.all, run.excess_variance, 0);
      told += std::pow(errors.error_of(run.of_function), 2) / runs;
    }
    const double seen = squares / runs - std::pow(sum / runs, 2);
    // Where samples weigh, their number is given: what all of them vary by is no part of it.
    const double expected = weight == 1 ? seen : seen - std::pow(weight, 2) * 500 * 0.04 * 0.75;
    CHECK(told == Approx(expected).epsilon(0.1));
  }
}

TEST_CASE("sample errors: what was never sampled took less than three samples, 19 times of 20") {
  std::mt19937 random(test_seed(5));
  const double true_time = SampleErrors().most_without_sample();
  int unseen = 0;
  constexpr int runs = 20000;
  for (int i = 0; i < runs; ++i) {
    if (std::poisson_distribution<int>(true_time)(random) == 0) ++unseen;
  }
  CHECK(unseen / static_cast<double>(runs) == Approx(0.05).margin(0.005));
}
