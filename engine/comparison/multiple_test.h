// Compares the times of many figures (functions, lines) of two sides as one family of tests: with
// their common spread and drift, and one level for all of them.
//
// A machine that is busy with something else slows down a whole run. So, before the runs of a side
// are compared with each other, each figure of a run is divided by the run's speed according to its
// other figures: the weighted median of their ratios to the means of all runs (CommonDrift), as far
// as that exceeds its own error. Means stay unchanged: by how much a whole side was slower is part
// of the drift.
//
// Units: ticks in, seconds out. Thread contract: pure functions; values.
#pragma once

#include <vector>

#include "engine/comparison/time_change.h"

namespace gprof {

// One side. Figure i of one side is compared with figure i of the other.
struct FamilySide {
  std::vector<double> rates;                // ticks per second, one entry per run
  std::vector<std::vector<Ticks>> figures;  // one entry per run each
  std::vector<SampleErrors> errors = {};    // one entry per run, or empty; see TimeRuns

  // Whether all runs counted their costs.
  [[nodiscard]] bool exact() const;
};

struct MultipleTest {
  std::vector<TimeChange> changes;  // in the order of the figures
  Drift drift;                      // common to all; none if both sides are exact
};

[[nodiscard]] MultipleTest compare_family(const FamilySide& before, const FamilySide& after,
                                          double level);

}  // namespace gprof
