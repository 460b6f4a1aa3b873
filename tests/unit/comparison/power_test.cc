// How often a regression is found, and how often one is reported where there is none, in simulated
// programs of ten functions. Seeds are fixed, so that every execution gives the same.
//
// Bounds: if each of N experiments succeeds with the probability p, the number of successes is
// binomial. With a probability of 1 % it is below N · p − 2.33 · √(N · p · (1 − p)), and with 1 %
// it is above N · p + 2.33 · √(N · p · (1 − p)). So a method with the demanded p passes, and one
// that finds much less, or raises more false alarms, does not. Unpooled variances found 5 of 25
// with three runs a side, and 12 with five: both fail.
#include <cmath>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/comparison/multiple_test.h"

using namespace gprof;

namespace {

constexpr double sampling_rate = 1000;
constexpr double family_of_functions = 0.01;
constexpr double ticks_of_run = 1500;    // 1.5 s
constexpr double ticks_of_planted = 54;  // 3.6 %
// Every run is faster or slower as a whole.
constexpr double variation_of_speed = 0.01;

double spread_of(double experiments, double probability) {
  return 2.33 * std::sqrt(experiments * probability * (1 - probability));
}

// The first function has 3.6 % of the program's time. The others share the rest in the proportions
// 1 : 1/2 : 1/3 …
std::vector<double> functions_of_program(std::size_t count) {
  double sum = 0;
  for (std::size_t i = 1; i < count; ++i) sum += 1 / static_cast<double>(i);
  std::vector<double> ticks = {ticks_of_planted};
  for (std::size_t i = 1; i < count; ++i) {
    ticks.push_back((ticks_of_run - ticks_of_planted) / static_cast<double>(i) / sum);
  }
  return ticks;
}

class Experiments {
 public:
  explicit Experiments(unsigned seed) : random_(seed) {}

  // A change of the first function by the factor: whether it is found, and whether any other is.
  struct Outcome {
    bool found = false;
    bool wrong = false;
  };
  Outcome compare(int runs, double factor, double variation) {
    std::vector<double> ticks = functions_of_program(10);
    const FamilySide before = side(ticks, runs, variation);
    ticks.front() *= factor;
    const MultipleTest test =
        compare_family(before, side(ticks, runs, variation), family_of_functions);
    Outcome outcome{test.changes.front().significant, false};
    for (std::size_t i = 1; i < test.changes.size(); ++i) {
      outcome.wrong = outcome.wrong || test.changes[i].significant;
    }
    return outcome;
  }

 private:
  FamilySide side(const std::vector<double>& ticks, int runs, double variation) {
    FamilySide side{std::vector<double>(static_cast<std::size_t>(runs), sampling_rate), {}};
    side.figures.resize(ticks.size());
    for (int run = 0; run < runs; ++run) {
      const double speed = std::exp(variation_of_speed * normal_(random_));
      for (std::size_t i = 0; i < ticks.size(); ++i) {
        const double own = std::max(0.0, 1 + variation * normal_(random_));
        const double mean = ticks[i] * speed * own + 1e-9;
        side.figures[i].push_back(std::poisson_distribution<int>(mean)(random_));
      }
    }
    return side;
  }

  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

}  // namespace

TEST_CASE("a function of 3.6 % that takes 45 % longer is found with few runs") {
  // The demand is 12, 21 and 25 of 25 experiments with 3, 5 and 10 runs a side. If 98 % are found,
  // a series of 25 finds all with a probability of 60 %.
  struct Demand {
    int runs;
    double probability;
  };
  constexpr double experiments = 300;
  for (const Demand& demand : {Demand{3, 12.0 / 25}, Demand{5, 21.0 / 25}, Demand{10, 0.98}}) {
    Experiments planted(static_cast<unsigned>(demand.runs));
    int found = 0;
    int wrong = 0;
    for (int i = 0; i < static_cast<int>(experiments); ++i) {
      const auto outcome = planted.compare(demand.runs, 1.45, 0);
      found += outcome.found ? 1 : 0;
      wrong += outcome.wrong ? 1 : 0;
    }
    CAPTURE(demand.runs, found, wrong);
    CHECK(found >= experiments * demand.probability - spread_of(experiments, demand.probability));
    CHECK(wrong <= experiments * 0.01 + spread_of(experiments, 0.01));
  }
}

TEST_CASE("of 100 comparisons of unchanged programs at most one names a function") {
  // The runs of every function vary beyond their samples, by the same percentage.
  constexpr double comparisons = 200;
  double all = 0;
  double all_wrong = 0;
  for (const double variation : {0.0, 0.02, 0.05, 0.1}) {
    for (const int runs : {2, 3, 5, 10}) {
      Experiments unchanged(static_cast<unsigned>(1000 * variation) + 100U +
                            static_cast<unsigned>(runs));
      int wrong = 0;
      for (int i = 0; i < static_cast<int>(comparisons); ++i) {
        const auto outcome = unchanged.compare(runs, 1, variation);
        wrong += outcome.found || outcome.wrong ? 1 : 0;
      }
      CAPTURE(variation, runs, wrong);
      CHECK(wrong <= comparisons * 0.01 + spread_of(comparisons, 0.01));
      all += comparisons;
      all_wrong += wrong;
    }
  }
  CHECK(all_wrong <= all * 0.01 + spread_of(all, 0.01));
}

TEST_CASE("noise says how many runs would decide, and they do") {
  const auto compare = [](double before, double after, std::size_t runs) {
    FamilySide old_side{std::vector<double>(runs, sampling_rate), {}};
    FamilySide new_side = old_side;
    for (const auto& [old_ticks, new_ticks] :
         {std::pair{before, after}, {1000.0, 1000.0}, {800.0, 800.0}, {400.0, 400.0}}) {
      // Runs that vary as their samples do.
      std::vector<Ticks> old_runs;
      std::vector<Ticks> new_runs;
      for (std::size_t i = 0; i < runs; ++i) {
        const double far = i + 1 == runs && runs % 2 == 1 ? 0 : i % 2 == 0 ? 1 : -1;
        old_runs.push_back(old_ticks + far * std::sqrt(old_ticks));
        new_runs.push_back(new_ticks + far * std::sqrt(new_ticks));
      }
      old_side.figures.push_back(old_runs);
      new_side.figures.push_back(new_runs);
    }
    return compare_family(old_side, new_side, family_of_functions).changes.front();
  };
  const TimeChange few = compare(100, 128, 3);
  CHECK_FALSE(few.significant);
  REQUIRE(few.runs_to_decide);
  CHECK(*few.runs_to_decide > 3);
  CHECK(*few.runs_to_decide < 15);
  // These runs have exactly the expected difference, without the bad luck that the 80 % allow for.
  CHECK(compare(100, 128, *few.runs_to_decide).significant);
  // With samples alone: 3.02 standard deviations for 0.01 / 4, and 0.84 for 80 %, of 28 ± √228.
  CHECK(static_cast<double>(*few.runs_to_decide) >= std::ceil(228 * 3.86 * 3.86 / (28.0 * 28.0)));
  SECTION("but not what is within its error, nor what is decided") {
    CHECK_FALSE(compare(100, 105, 3).runs_to_decide);
    CHECK(compare(100, 200, 3).significant);
    CHECK_FALSE(compare(100, 200, 3).runs_to_decide);
  }
  SECTION("nor what more than 100 runs would decide") {
    const TimeChange tiny = compare(100, 107, 8);
    CHECK_FALSE(tiny.significant);
    CHECK_FALSE(tiny.runs_to_decide);
  }
}

TEST_CASE("the quantile of the normal distribution is the inverse of its probability") {
  for (const double probability : {1e-12, 1e-6, 0.001, 0.05, 0.5}) {
    CAPTURE(probability);
    CHECK(two_sided_probability(normal_quantile(probability), many_degrees_of_freedom) ==
          Approx(probability).epsilon(1e-6));
  }
  CHECK(normal_quantile(1) == Approx(0).margin(1e-9));
}

TEST_CASE("small functions take little of the level from large ones") {
  // 0.01 / 4.04 for a large one among three others and four of 8 ticks, which weigh a hundredth
  // each.
  std::vector<TimeChange> changes(8);
  std::vector<TimeChange*> all;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i].enough_samples = true;
    changes[i].probability = 0.5;
    if (i >= 4) changes[i].test_weight = 0.01;
    all.push_back(&changes[i]);
  }
  changes[0].probability = 0.0024;
  mark_significant(all, family_of_functions);
  CHECK(changes[0].significant);
  changes[0].probability = 0.0026;
  mark_significant(all, family_of_functions);
  CHECK_FALSE(changes[0].significant);
  // Nor can a small one be significant by luck of that size.
  changes[4].probability = 0.0024;
  mark_significant(all, family_of_functions);
  CHECK_FALSE(changes[4].significant);
  changes[4].probability = 1e-5;
  mark_significant(all, family_of_functions);
  CHECK(changes[4].significant);
}
