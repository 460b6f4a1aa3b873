// Whether a time differs from what it was, or the difference is noise.
//
// Each side has a mean time with the variance of its samples (mean_time.h), and the runs of both
// vary beyond that as RunVariation says: by c · m, where several values of c are possible. For each
// of them the variance of the difference is the sum of the sides', where that of the samples is at
// least what it would be if both sides had the same rate of samples (the score test, which holds
// even if a side has hardly any); the probability is that of the normal distribution. The
// probability of the change is their weighted mean: a moderated t test with a part of the variance
// known.
//
// Where the variation is unknown, because there is one run a side or because costs were counted,
// the variance of a mean is the larger one of its samples' and s² / k, s² being the sample variance
// of k runs. If the latter is larger, the difference follows Student's distribution, with the
// degrees of freedom of Welch ("The generalization of 'Student's' problem when several different
// population variances are involved", 1947) and Satterthwaite, otherwise the normal one.
//
// Drift (common_drift.h): a time t is expected anywhere between t and g · t, plus or minus the
// error e of g: the probability is that of what lies beyond. Of g only that part counts which its
// error does not explain, (g − 1) · (1 − e² / (g − 1)²), nothing below e (Breiman's non-negative
// garrote, 1995). The displayed error includes the drift or the error of g, whichever is larger:
// the first has the second in it. Drift is limited to 50 %: what slows a whole program down by more
// is no drift.
//
// Units: seconds (ticks by the rate). Thread contract: pure functions; values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "engine/comparison/common_drift.h"
#include "engine/comparison/distributions.h"
#include "engine/comparison/mean_time.h"
#include "engine/comparison/run_variation.h"
#include "engine/support/units.h"

namespace gprof {

// What decides a difference: its size beyond what is expected, and its variance.
struct Evidence {
  Seconds excess = 0;
  double run_variance = 0;      // of the difference of one run a side
  double lasting_variance = 0;  // of the drift; taken as what more runs do not reduce
  double runs = 0;              // of the side that has more of them
};

struct TimeChange {
  Seconds before = 0;
  Seconds before_error = 0;  // one standard error, as are all errors here
  Seconds after = 0;
  Seconds after_error = 0;
  Seconds error = 0;  // of the difference, including the drift's part, once
  // For a side without samples: it is less than this, at 95 %. 0 if there are samples or exact
  // costs.
  Seconds before_below = 0;
  Seconds after_below = 0;
  double degrees_of_freedom = many_degrees_of_freedom;
  // The probability that noise causes a difference of this size.
  double probability = 1;
  bool enough_samples = false;  // needs at least ten ticks in both sides together
  double test_weight = 1;       // see mark_significant()
  bool significant = false;     // set by mark_significant()
  Evidence evidence;
  // Set by mark_significant() for a difference beyond its error that is not significant: with that
  // many runs on each side, a difference of this size would be with a probability of 80 %. None if
  // it takes more than most_runs_to_decide.
  std::optional<std::size_t> runs_to_decide;

  [[nodiscard]] Seconds difference() const { return after - before; }
};

inline constexpr std::size_t most_runs_to_decide = 100;

[[nodiscard]] TimeChange time_change(const MeanTime& before, const MeanTime& after,
                                     const Drift& drift = {}, const RunVariation& variation = {});

// Holm's method ("A simple sequentially rejective multiple test procedure", 1979), with weights: of
// all changes with enough samples, marks those that differ, so that the probability of marking even
// one that does not is at most `level`. A change with few samples in both sides together can hardly
// be found, so it gets a smaller part of the level: a weight of (n / 80)² below 80 ticks. The
// number of samples of both sides is independent of their difference, so that leaving out those
// with few, or giving them less weight, keeps the level.
void mark_significant(std::span<TimeChange*> changes, double level);

}  // namespace gprof
