// The times of many figures (functions, lines) of two sides compared as one family of tests: with
// the spread and the drift that they have in common, and one level for all of them together.
//
// A machine that is busy with something else slows a whole run down. So, before the runs of a side
// are held against each other, each figure of a run is divided by what the run's other figures say
// of its speed: the weighted median of their ratios to the means of all runs (CommonDrift), as far
// as that is beyond its own error. Means stay what they are: by how much a whole side was slower
// is a matter of the drift.
//
// Units: ticks in, seconds out. Thread contract: pure functions; values.
#pragma once

#include <vector>

#include "engine/comparison/time_change.h"

namespace gprof {

// One side. Figure i of one side is compared with figure i of the other one.
struct FamilySide {
  std::vector<double> rates;                // ticks a second, an entry a run
  std::vector<std::vector<Ticks>> figures;  // an entry a run each
  std::vector<SampleErrors> errors = {};    // an entry a run, or none; as of TimeRuns

  // All runs counted their costs.
  [[nodiscard]] bool exact() const;
};

struct TimeFamily {
  std::vector<TimeChange> changes;  // in the order of the figures
  Drift drift;  // that all have in common; where both sides are exact there is none
};

[[nodiscard]] TimeFamily compare_family(const FamilySide& before, const FamilySide& after,
                                        double level);

}  // namespace gprof
