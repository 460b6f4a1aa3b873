// Which differences are found and which are not: with known numbers, and with runs made up from a
// fixed seed, so that every execution sees the same.
#include "engine/comparison/multiple_test.h"

#include <cmath>
#include <random>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

using namespace gprof;

namespace {

constexpr double rate = 100;
constexpr double level = 0.01;

MeanTime mean_of(std::vector<Ticks> ticks) {
  const std::vector<double> rates(ticks.size(), rate);
  return mean_time({ticks, rates});
}

// A machine on which functions take that many ticks per run on average.
class Machine {
 public:
  explicit Machine(unsigned seed) : random_(seed) {}

  // Each run of each function varies by the fraction `jitter` beyond its samples; each run as a
  // whole is slower by a fraction of up to `load`.
  FamilySide run(const std::vector<double>& ticks, int runs, double slowness = 1, double jitter = 0,
                 double load = 0) {
    FamilySide side;
    side.rates.assign(static_cast<std::size_t>(runs), rate);
    side.figures.resize(ticks.size());
    for (int i = 0; i < runs; ++i) {
      const double loaded = slowness * (load > 0 ? 1 + load * uniform_(random_) : 1);
      for (std::size_t f = 0; f < ticks.size(); ++f) {
        const double factor = std::max(0.0, 1 + jitter * normal_(random_));
        std::poisson_distribution<int> samples(ticks[f] * loaded * factor + 1e-9);
        side.figures[f].push_back(samples(random_));
      }
    }
    return side;
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

// From a handful of samples to thousands, as in programs.
std::vector<double> usual_functions(std::size_t count) {
  std::vector<double> ticks;
  for (std::size_t i = 0; i < count; ++i) {
    ticks.push_back(2000.0 / static_cast<double>((i + 1) * (i + 1)) + 3);
  }
  return ticks;
}

// Functions ever called regressed or improved when one build is compared with itself repeatedly.
std::set<std::size_t> ever_named(unsigned seed, std::size_t functions, int runs, double slowness,
                                 double jitter, int comparisons = 20, double load = 0) {
  Machine machine(seed);
  const auto ticks = usual_functions(functions);
  std::set<std::size_t> named;
  for (int i = 0; i < comparisons; ++i) {
    const auto before = machine.run(ticks, runs, 1, jitter, load);
    const auto after = machine.run(ticks, runs, slowness, jitter, load);
    const auto family = compare_family(before, after, level);
    for (std::size_t f = 0; f < functions; ++f) {
      if (family.changes[f].significant) named.insert(f);
    }
  }
  return named;
}

std::size_t most_likely(const MultipleTest& family) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < family.changes.size(); ++i) {
    if (family.changes[i].probability < family.changes[best].probability) best = i;
  }
  return best;
}

}  // namespace

TEST_CASE("one run's error is the square root of its ticks") {
  const MeanTime time = mean_of({400});
  CHECK(time.mean == Approx(4));
  CHECK(std::sqrt(time.variance) == Approx(0.2));
  CHECK_FALSE(time.between_leads);
}

TEST_CASE("several runs' error is that of their mean, and never below the samples'") {
  const MeanTime alike = mean_of({100, 100, 100, 100});
  CHECK(alike.mean == Approx(1));
  CHECK(std::sqrt(alike.variance) == Approx(0.05));
  CHECK_FALSE(alike.between_leads);
  // The sample variance of 1, 2, 3 seconds: 1.
  const MeanTime apart = mean_of({100, 200, 300});
  CHECK(apart.between_runs == Approx(1));
  CHECK(apart.between_leads);
  CHECK(apart.between_freedom == 2);
  CHECK(apart.variance == Approx(1.0 / 3));
}

TEST_CASE("runs of different rates are compared in seconds") {
  const std::vector<double> rates = {100, 1000};
  const std::vector<Ticks> ticks = {100, 1000};
  const MeanTime time = mean_time({ticks, rates});
  CHECK(time.mean == Approx(1));
  CHECK(time.sampling_variance == Approx((100.0 / 1e4 + 1000.0 / 1e6) / 4));
}

TEST_CASE("two runs differ by Welch's test where runs vary") {
  // Means 1 and 2 seconds, sample variances 0.04 and 0.16 of five runs each: the difference's
  // variance is 0.04, its degrees of freedom 0.04² / (0.008²/4 + 0.032²/4) = 5.882.
  const MeanTime before = mean_of({80, 80, 100, 120, 120});
  const MeanTime after = mean_of({160, 160, 200, 240, 240});
  const TimeChange change = time_change(before, after);
  CHECK(change.difference() == Approx(1));
  CHECK(change.error == Approx(0.2));
  CHECK(change.degrees_of_freedom == Approx(5.88235));
  CHECK(change.probability == Approx(two_sided_probability(5, 5.88235)).epsilon(1e-5));
}

TEST_CASE("a side without a sample is no certainty") {
  const TimeChange change = time_change(mean_of({0}), mean_of({9}));
  CHECK(change.error == Approx(0.03));
  CHECK_FALSE(change.enough_samples);
  // One run with few samples by chance, against five: the common rate shows how far off it may be.
  const TimeChange lucky = time_change(mean_of({8}), mean_of({20, 20, 20, 20, 20}));
  CHECK(lucky.error == Approx(std::sqrt(18.0 * 1.2) / rate));
}

TEST_CASE("times by the clock are exact, and another run takes another time") {
  const std::vector<double> nanoseconds = {1e9};
  const std::vector<SampleErrors> clock = {SampleErrors::none().of_clock()};
  const auto mean_of_clock = [&](Ticks ticks) {
    return mean_time({std::vector<Ticks>{ticks}, nanoseconds, clock});
  };
  CHECK(clock[0].exact());
  CHECK(std::sqrt(mean_of_clock(1e9).variance) == Approx(0.031));
  CHECK(mean_of_clock(0).variance == 0);
  const auto compared = [&](Ticks before, Ticks after) {
    return compare_family({nanoseconds, {{before}}, clock}, {nanoseconds, {{after}}, clock}, level);
  };
  CHECK_FALSE(compared(1e9, 1.05e9).changes[0].significant);
  CHECK_FALSE(compared(1e5, 5e5).changes[0].significant);
  CHECK(compared(1e9, 1.5e9).changes[0].significant);
}

TEST_CASE("what was counted has no sampling error") {
  const std::vector<double> one = {1};
  const std::vector<Ticks> few = {1000};
  const std::vector<Ticks> more = {1001};
  const std::vector<SampleErrors> counted = {SampleErrors::none()};
  const MeanTime before = mean_time({few, one, counted});
  CHECK(before.variance == 0);
  CHECK(time_change(before, mean_time({more, one, counted})).probability == 0);
  CHECK(time_change(before, before).probability == 1);
  const MultipleTest family =
      compare_family({{1}, {{1000}, {2000}}, counted}, {{1}, {{1000}, {2001}}, counted}, level);
  CHECK_FALSE(family.changes[0].significant);
  CHECK(family.changes[1].significant);
  CHECK_FALSE(family.conditions.drift.known);
}

TEST_CASE("drift is part of every difference") {
  const MeanTime before = mean_of({10000});
  const MeanTime after = mean_of({10400});
  const TimeChange alone = time_change(before, after);
  CHECK(alone.error == Approx(std::sqrt(20400.0) / rate));
  CHECK(alone.probability == Approx(two_sided_probability(400 / std::sqrt(20400.0), 1e9)));
  // If everything takes 4 % longer, so may this. Its displayed error includes that.
  const TimeChange drifted = time_change(before, after, {1.04, 0, true});
  CHECK(drifted.error == Approx(std::sqrt(20400.0 + 160000.0) / rate));
  CHECK(drifted.probability == Approx(1));
  // Of a change beyond the drift, only the excess counts; of one against it, all of it.
  CHECK(time_change(before, after, {1.02, 0, true}).probability ==
        Approx(two_sided_probability(200 / std::sqrt(20400.0), 1e9)));
  CHECK(time_change(before, after, {0.9, 0, true}).probability == Approx(alone.probability));
  // A drift that is itself uncertain.
  CHECK(time_change(before, after, {1.0, 0.01, true}).probability ==
        Approx(two_sided_probability(400 / std::sqrt(20400.0 + 10000.0), 1e9)));
  // The drift that was found has its own error in it: neither is counted twice.
  CHECK(time_change(before, after, {1.01, 0.03, true}).error ==
        Approx(std::sqrt(20400.0 + 90000.0) / rate));
  CHECK(time_change(before, after, {1.03, 0.01, true}).error ==
        Approx(std::sqrt(20400.0 + 90000.0) / rate));
  // No machine is three times as slow.
  CHECK(time_change(before, mean_of({30000}), {3, 0, true}).probability < 1e-9);
}

TEST_CASE("the drift is what most functions have in common") {
  const std::vector<MeanTime> before = {mean_of({1000}), mean_of({1000}), mean_of({1000}),
                                        mean_of({5000})};
  const std::vector<MeanTime> after = {mean_of({1040}), mean_of({1040}), mean_of({1040}),
                                       mean_of({10000})};
  const CommonDrift drift(before, after);
  CHECK(drift.of_all().known);
  CHECK(drift.of_all().ratio == Approx(1.04));
  CHECK(drift.without(3).ratio == Approx(1.04));
  // Three ratios of 1 / 1000 + 1 / 1040 + 0.05²: 4.46e-3.
  CHECK(drift.without(3).error == Approx(std::sqrt(M_PI / 2 * 0.0044615 / 3)).epsilon(1e-4));
  // With any number of runs, that of three ratios that differ by 5 %.
  CHECK(drift.without(3).lasting_error == Approx(std::sqrt(M_PI / 2 / 3) * 0.05).epsilon(1e-4));
  SECTION("a function does not excuse itself") {
    const CommonDrift two(std::vector{before[0], before[3]}, std::vector{before[0], after[3]});
    CHECK(two.without(1).ratio == Approx(1));
    CHECK(two.without(0).ratio == Approx(2));
  }
  SECTION("nor do few samples tell one") {
    const CommonDrift few(std::vector{mean_of({50}), mean_of({60})},
                          std::vector{mean_of({70}), mean_of({90})});
    CHECK_FALSE(few.of_all().known);
    CHECK(few.of_all().ratio == 1);
  }
}

TEST_CASE("Holm's method names no more than its level allows") {
  std::vector<TimeChange> changes(4);
  const double probabilities[] = {0.0024, 0.5, 0.0034, 0.004};
  std::vector<TimeChange*> all;
  for (std::size_t i = 0; i < 4; ++i) {
    changes[i].probability = probabilities[i];
    changes[i].enough_samples = true;
    all.push_back(&changes[i]);
  }
  // 0.0024 <= 0.01 / 4; 0.0034 > 0.01 / 3, which ends the procedure.
  mark_significant(all, level);
  CHECK(changes[0].significant);
  CHECK_FALSE(changes[2].significant);
  CHECK_FALSE(changes[3].significant);
  // One without samples is not tested: three are left.
  changes[1].enough_samples = false;
  mark_significant(all, level);
  CHECK(changes[0].significant);
  CHECK(changes[2].significant);
  CHECK(changes[3].significant);
  CHECK_FALSE(changes[1].significant);
}

TEST_CASE("one build compared with itself names hardly any function") {
  constexpr std::size_t functions = 60;
  const auto fewer_than_two_percent = [&](const std::set<std::size_t>& named) {
    return static_cast<double>(named.size()) < 0.02 * functions;
  };
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    CHECK(fewer_than_two_percent(ever_named(seed, functions, 5, 1, 0)));
    // Runs that vary more than their samples.
    CHECK(fewer_than_two_percent(ever_named(seed, functions, 5, 1, 0.05)));
    CHECK(fewer_than_two_percent(ever_named(seed, functions, 5, 1, 0.3)));
    CHECK(fewer_than_two_percent(ever_named(seed, functions, 1, 1, 0)));
    CHECK(fewer_than_two_percent(ever_named(seed, functions, 2, 1, 0.1)));
  }
}

TEST_CASE("runs on a busy machine name nobody, and still find what became slower") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    CHECK(ever_named(seed, 60, 5, 1, 0, 20, 0.5).size() <= 1);
    CHECK(ever_named(seed, 60, 5, 1.04, 0.02, 20, 0.3).size() <= 1);
  }
  const std::vector<double> ticks = {230, 230, 230, 230, 230, 230, 230};
  std::vector<double> changed = ticks;
  changed[2] *= 1.3;
  int found = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Machine machine(seed);
    const auto before = machine.run(ticks, 5, 1, 0, 0.5);
    const auto after = machine.run(changed, 5, 1, 0, 0.5);
    const auto family = compare_family(before, after, level);
    CAPTURE(seed, family.changes[2].probability);
    CHECK(most_likely(family) == 2);
    if (family.changes[2].significant) ++found;
  }
  CAPTURE(found);
  CHECK(found >= 14);
}

TEST_CASE("the level holds over many comparisons") {
  // At most 1 % of 400 comparisons should name anything: 4, with a spread of 2.
  int wrong = 0;
  for (unsigned seed = 100; seed < 500; ++seed) {
    if (!ever_named(seed, 40, 5, 1, 0.05, 1).empty()) ++wrong;
  }
  CHECK(wrong <= 10);
}

TEST_CASE("a machine that is slower flags nobody") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    // At most one in 20 comparisons of 60 functions.
    CHECK(ever_named(seed, 60, 5, 1.04, 0).size() <= 1);
    CHECK(ever_named(seed, 60, 5, 1.04, 0.02).size() <= 1);
    CHECK(ever_named(seed, 60, 5, 0.9, 0).size() <= 1);
  }
}

TEST_CASE("a function that became 30 % slower is found and leads") {
  const auto ticks = usual_functions(40);
  for (const std::size_t slower : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    int found = 0;
    for (unsigned seed = 1; seed <= 20; ++seed) {
      Machine machine(seed);
      auto changed = ticks;
      changed[slower] *= 1.3;
      const auto before = machine.run(ticks, 5);
      const auto after = machine.run(changed, 5);
      const auto family = compare_family(before, after, level);
      CAPTURE(slower, seed, family.changes[slower].probability);
      CHECK(most_likely(family) == slower);
      if (family.changes[slower].significant) ++found;
    }
    // With 500 samples per run or more. With 225, the runs themselves may vary more.
    CAPTURE(slower, found);
    CHECK(found >= (slower < 2 ? 20 : 14));
  }
}

TEST_CASE("also on a machine that drifted, and where it is most of the program") {
  const std::vector<double> ticks = {3000, 500, 300, 200};
  std::vector<double> changed = ticks;
  changed[0] *= 1.3;
  Machine machine(7);
  const auto before = machine.run(ticks, 5);
  const auto after = machine.run(changed, 5, 1.03);
  const auto family = compare_family(before, after, level);
  CHECK(most_likely(family) == 0);
  CHECK(family.changes[0].significant);
  CHECK_FALSE(family.changes[1].significant);
  CHECK_FALSE(family.changes[2].significant);
  CHECK_FALSE(family.changes[3].significant);
}

TEST_CASE("errors of runs are those that their samples are said to have") {
  SamplingQuality quality;
  quality.excess_variance = 3000;
  quality.tick_samples = 50;
  std::vector<SampleErrors> errors(1);
  errors[0].add(1000, quality);
  const std::vector<Ticks> ticks = {100};
  const std::vector<double> rates = {rate};
  const MeanTime time = mean_time({ticks, rates, errors});
  CHECK(std::sqrt(time.variance) == Approx(errors[0].error_of(100) / rate));
  CHECK(time.evidence == Approx(100 * 100 / std::pow(errors[0].error_of(100), 2)));
  // 100 ticks are so uncertain that half as many more are no difference.
  const std::vector<Ticks> more = {150};
  CHECK(time_change(time, mean_time({more, rates, errors})).probability > 0.1);
  CHECK(time_change(mean_of({100}), mean_of({150})).probability < 0.01);
}

TEST_CASE("a side without a sample is less than a limit, the lower the longer it was sampled") {
  const TimeChange change = time_change(mean_of({0}), mean_of({9}));
  CHECK(change.before_below == Approx(0.03));
  CHECK(change.after_below == 0);
  CHECK(time_change(mean_of({0, 0, 0}), mean_of({9})).before_below == Approx(0.01));
}

TEST_CASE("what changed is no evidence of what everything has in common") {
  const FamilySide before = {{rate}, {{5000}, {1000}}};
  const FamilySide after = {{rate}, {{7500}, {1010}}};
  const MultipleTest self = compare_family(before, after, level);
  CHECK(self.changes[0].significant);
  CHECK_FALSE(self.changes[1].significant);
  CHECK(self.conditions.drift.ratio == Approx(1.01));
  CHECK(self.conditions.drift_without[0].ratio == Approx(1.01));
  CHECK_FALSE(self.conditions.drift_without[1].known);
  SECTION("so totals are not excused by those of their callers, which have the same samples") {
    // The first function, and its caller, which has both of them as parts.
    const FamilySide old_totals = {{rate}, {{5000}, {6000}}};
    const FamilySide new_totals = {{rate}, {{7500}, {8510}}};
    const std::vector<std::size_t> belongs_to = {0, no_figure};
    const auto totals = compare_under(self.conditions, belongs_to, old_totals, new_totals, level);
    CHECK(totals[0].significant);
    CHECK(totals[1].significant);
    CHECK(totals[0].error == Approx(self.changes[0].error));
  }
  SECTION("nor is a line excused by the function that it is all of") {
    const FamilySide old_line = {{rate}, {{5000}}};
    const FamilySide new_line = {{rate}, {{7500}}};
    const std::vector<std::size_t> belongs_to = {0};
    CHECK(compare_under(self.conditions, belongs_to, old_line, new_line, level)[0].significant);
  }
}

TEST_CASE("a slower machine marks no total and no line") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Machine machine(seed);
    const auto ticks = usual_functions(20);
    const auto before = machine.run(ticks, 3);
    const auto after = machine.run(ticks, 3, 1.05);
    const MultipleTest self = compare_family(before, after, level);
    FamilySide old_whole = {before.rates, {std::vector<Ticks>(3)}};
    FamilySide new_whole = {after.rates, {std::vector<Ticks>(3)}};
    for (std::size_t run = 0; run < 3; ++run) {
      for (const auto& figure : before.figures) old_whole.figures[0][run] += figure[run];
      for (const auto& figure : after.figures) new_whole.figures[0][run] += figure[run];
    }
    CAPTURE(seed);
    CHECK_FALSE(compare_under(self.conditions, {&no_figure, 1}, old_whole, new_whole, level)[0]
                    .significant);
  }
}

TEST_CASE("runs that vary are known less well, whatever their sum says") {
  const FamilySide before = {{rate, rate, rate}, {{500, 510, 490}, {1000, 1010, 990}}};
  const FamilySide steady = {{rate, rate, rate}, {{760, 770, 780}, {1000, 1000, 1000}}};
  const FamilySide varying = {{rate, rate, rate}, {{500, 770, 1040}, {1000, 1000, 1000}}};
  const std::vector<std::size_t> itself = {0, 1};
  const auto conditions = compare_family(before, steady, level).conditions;
  const auto known = compare_under(conditions, itself, before, steady, level);
  const auto unknown = compare_under(conditions, itself, before, varying, level);
  CHECK(known[0].significant);
  CHECK(unknown[0].after == Approx(known[0].after));
  CHECK(unknown[0].error > 3 * known[0].error);
  CHECK_FALSE(unknown[0].significant);
}
