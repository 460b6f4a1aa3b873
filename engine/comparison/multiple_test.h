// Compares the times of many figures (functions, lines) of two sides as one family of tests: with
// their common spread and drift, and one level for all of them.
//
// A machine that is busy with something else slows down a whole run. So, before the runs of a side
// are compared with each other, each figure of a run is divided by the run's speed according to its
// other figures: the weighted median of their ratios to the means of all runs (CommonDrift), as far
// as that exceeds its own error. Means stay unchanged: by how much a whole side was slower is part
// of the drift.
//
// Speeds, drift and how much runs vary are estimated from self times, which have no sample in
// common: a function's total is a part of its callers' totals, and a line's time of its function's,
// so these would excuse it.
//
// Units: ticks in, seconds out. Thread contract: pure functions; values.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/comparison/time_change.h"

namespace gprof {

// One side. Figure i of one side is compared with figure i of the other.
struct FamilySide {
  std::vector<double> rates;                // ticks per second, one entry per run
  std::vector<std::vector<Ticks>> figures;  // one entry per run each
  std::vector<SampleErrors> errors = {};    // one entry per run, or empty; see TimeRuns
  double runs_each = 1;                     // how many runs each entry is the sum of

  // Whether all runs counted their costs.
  [[nodiscard]] bool exact() const;
};

// How fast the runs of a side were, relative to their mean.
struct RunSpeeds {
  std::vector<double> of_all;                // by all figures; one entry per run
  std::vector<std::vector<double>> without;  // by all but each of the figures
};

// What the figures of a family have in common, for the times of other families.
struct CommonConditions {
  RunSpeeds before;
  RunSpeeds after;
  Drift drift;  // of the figures that did not change; none if both sides are exact
  std::vector<Drift> drift_without;  // the same without each of the figures
  RunVariation variation;            // beyond the speeds; unknown if both sides are exact
};

struct MultipleTest {
  std::vector<TimeChange> changes;  // in the order of the figures
  CommonConditions conditions;
};

[[nodiscard]] MultipleTest compare_family(const FamilySide& before, const FamilySide& after,
                                          double level);

// A figure that belongs to none of those from which conditions are estimated.
inline constexpr std::size_t no_figure = ~std::size_t{0};

// Under conditions estimated from other figures; `belongs_to` has one entry per figure: which of
// those it is a part of, or has as a part.
[[nodiscard]] std::vector<TimeChange> compare_under(const CommonConditions& conditions,
                                                    std::span<const std::size_t> belongs_to,
                                                    const FamilySide& before,
                                                    const FamilySide& after, double level);

}  // namespace gprof
