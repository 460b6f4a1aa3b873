// The mean time of a figure over the runs of one side, and how far off it is.
//
// A time is the mean m of its runs x_1 … x_k, each a number of ticks divided by its rate. The
// variance of that mean from samples alone is the sum of v_i(n_i) / rate_i² divided by k²: a run of
// n ticks has the variance v(n) given by SampleErrors, n if nothing else is known (Poisson). How
// much the runs themselves vary is s², the sample variance of the runs, which includes that of the
// samples.
//
// Costs that were counted, not sampled, have no sampling error; their runs may still differ. Times
// measured by a clock have none either, but are never the same twice. Each run is assumed to be off
// by 3 % and a millisecond (one standard deviation), so that a single run has an error, too.
//
// Units: seconds (ticks by the rate). Thread contract: pure functions; values.
#pragma once

#include <span>

#include "engine/analysis/sample_errors.h"
#include "engine/support/units.h"

namespace gprof {

// One figure on one side; one entry per run.
struct TimeRuns {
  std::span<const Ticks> ticks;
  std::span<const double> rates;              // ticks per second, one per run
  std::span<const SampleErrors> errors = {};  // of the runs' samples, one per run; empty: √n of n
  double runs_each = 1;                       // how many runs each entry is the sum of
};

struct MeanTime {
  Seconds mean = 0;
  double variance = 0;         // of the mean: of the samples, or s² / k if that is larger
  double between_runs = 0;     // of one run, s²; 0 for one run
  double between_freedom = 0;  // degrees of freedom of s²; 0 for one run
  bool between_leads = false;  // the variance is s² / k
  double run_count = 0;        // k
  // The random variance of a mean of 1: sum of dispersion / rate, divided by k².
  double variance_by_mean = 0;
  double exposure = 0;           // sum of the rates: ticks per second spent in each run
  Ticks ticks = 0;               // of all runs
  Ticks evidence = 0;            // as many ticks would have this sampling error by chance alone
  double sampling_variance = 0;  // of the mean, from the samples alone, and the clock
  double tick_variance = 0;      // the part of it that the kernel's tick may have caused
  Seconds below = 0;             // without samples, it is less than this, at 95 %; 0: exact
};

[[nodiscard]] constexpr double square(double value) { return value * value; }

[[nodiscard]] MeanTime mean_time(const TimeRuns& runs);

}  // namespace gprof
