// Whether a time differs from what it was, or the difference is noise.
//
// A time on one side is the mean m of its runs x_1 … x_k, each a number of ticks divided by its
// rate. The variance of that mean is the largest of
//   - the samples': a run of n ticks has the variance v(n) given by SampleErrors, n if nothing else
//     is known (Poisson); the mean's is the sum of v_i(n_i) / rate_i² divided by k²;
//   - that plus the machine's: (relative spread · m)² / k, where the relative spread is how much
//     the side's functions vary together from run to run, beyond their samples; and
//   - the runs': s² / k, s² being the sample variance of the runs, which includes both of the above
//     but is estimated from few of them. If it is largest, the difference follows Student's
//     distribution, with the degrees of freedom of Welch ("The generalization of 'Student's'
//     problem when several different population variances are involved", 1947) and Satterthwaite,
//     otherwise the normal one.
// The variance of a difference is the sum of the sides', at least what it would be if both sides
// had the same rate of samples (the score test, which holds even if a side has hardly any).
//
// Drift: what the functions have in common between the sides, the weighted median g of the ratios
// of their times. The machine may have been slower, or the whole build: no profile can tell. So a
// time t is expected anywhere between t and g · t, plus or minus the error of g: the probability is
// that of what lies beyond. The displayed error includes the drift or the error of g, whichever is
// larger: the first has the second in it. A function is compared with the drift of the others only,
// so that a large one does not excuse itself.
// - Weights: 1 / (1 / n_old + 1 / n_new + 0.05²), n in ticks, or in as many as would have that
//   relative error from samples alone: no ratio counts as known to better than 5 %, so that a large
//   function does not outvote all others. The error of g is 1.25 times the root of 1 / the sum of
//   weights (a median's, for the normal distribution).
// - Of several medians, the one nearest to 1.
// - There is none if the weights add up to less than 150: its error would be above 10 %.
// - It is limited to 50 %: what slows a whole program down by more is not drift.
//
// Costs that were counted, not sampled, have no sampling error; their runs may still differ. Times
// that a clock gave always do, whatever is run beside the program: each run is taken to be off by
// 3 % and a millisecond (one standard deviation), until several runs tell more.
//
// Units: seconds (ticks by the rate). Thread contract: pure functions; values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/analysis/sample_errors.h"
#include "engine/comparison/distributions.h"
#include "engine/support/units.h"

namespace gprof {

// One figure on one side; one entry per run.
struct TimeRuns {
  std::span<const Ticks> ticks;
  std::span<const double> rates;              // ticks per second, one per run
  std::span<const SampleErrors> errors = {};  // of the runs' samples, one per run; empty: √n of n
};

struct MeanTime {
  Seconds mean = 0;
  double variance = 0;         // of the mean
  double between_runs = 0;     // of one run, s²; 0 for one run
  double between_freedom = 0;  // degrees of freedom of s²
  bool between_leads = false;  // the variance is s² / k
  // The random variance of a mean of 1: sum of dispersion / rate, divided by k².
  double variance_by_mean = 0;
  double exposure = 0;           // sum of the rates: ticks per second spent in each run
  Ticks ticks = 0;               // of all runs
  Ticks evidence = 0;            // as many ticks would have this sampling error by chance alone
  double sampling_variance = 0;  // of the mean, from the samples alone, and the clock
  double tick_variance = 0;      // the part of it that the kernel's tick may have caused
  Seconds below = 0;             // without samples, it is less than this, at 95 %; 0: exact
};

[[nodiscard]] MeanTime mean_time(const TimeRuns& runs, double relative_spread = 0);

// The square root of the common part of the runs' squared relative spread beyond the samples: the
// weighted median over the figures. 0 for one run.
[[nodiscard]] double relative_spread(std::span<const MeanTime> figures, std::size_t run_count);

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
  bool significant = false;     // set by mark_significant()

  [[nodiscard]] Seconds difference() const { return after - before; }
};

// The factor by which everything took longer, or less long.
struct Drift {
  double ratio = 1;
  double error = 0;
  bool known = false;
};

[[nodiscard]] TimeChange time_change(const MeanTime& before, const MeanTime& after,
                                     const Drift& drift = {});

// The ratio that times have in common, overall and without each of them.
class CommonDrift {
 public:
  // Pairs of the same figure on both sides, one entry each. Those left out, by their place, are no
  // evidence.
  CommonDrift(std::span<const MeanTime> before, std::span<const MeanTime> after,
              const std::vector<bool>& left_out = {});

  // A ratio of 1.04 if everything takes 4 % longer; 1 if there is too little evidence.
  [[nodiscard]] Drift of_all() const;
  // From the other figures only.
  [[nodiscard]] Drift without(std::size_t figure) const;

 private:
  struct Ratio {
    double ratio = 1;
    double weight = 0;
  };
  [[nodiscard]] Drift median(double excluded_weight, std::size_t excluded_place) const;

  std::vector<Ratio> ratios_;         // ascending
  std::vector<double> weight_up_to_;  // cumulative, inclusive
  std::vector<std::size_t> place_;    // of a figure; no_place if it is no evidence
};

// Holm's method ("A simple sequentially rejective multiple test procedure", 1979): of all changes
// with enough samples, marks those that differ, so that the probability of marking even one that
// does not is at most `level`. The number of samples is independent of the difference, so leaving
// out those with few keeps the level.
void mark_significant(std::span<TimeChange*> changes, double level);

}  // namespace gprof
