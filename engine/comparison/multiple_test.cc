#include "engine/comparison/multiple_test.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gprof {
namespace {

using Figures = std::vector<std::vector<Ticks>>;

std::vector<MeanTime> means_of(const Figures& figures, const FamilySide& side) {
  std::vector<MeanTime> means;
  means.reserve(figures.size());
  for (const auto& ticks : figures) {
    means.push_back(mean_time({ticks, side.rates, side.errors, side.runs_each}));
  }
  return means;
}

// Runs are divided by a speed of which an error of two standard deviations is no evidence.
double sure_speed(const Drift& drift) { return 1 + drift.beyond_error(2); }

// How much slower or faster each run was than the others. None for a single run, and for counts.
RunSpeeds speeds_of(const FamilySide& side) {
  RunSpeeds speeds;
  if (side.exact() || side.rates.size() < 2) return speeds;
  const std::vector<MeanTime> means = means_of(side.figures, side);
  speeds.without.resize(side.figures.size());
  for (std::size_t run = 0; run < side.rates.size(); ++run) {
    const std::span<const SampleErrors> errors =
        side.errors.empty() ? std::span<const SampleErrors>() : std::span(&side.errors[run], 1);
    std::vector<MeanTime> of_run;
    of_run.reserve(side.figures.size());
    for (const auto& ticks : side.figures) {
      of_run.push_back(mean_time({{&ticks[run], 1}, {&side.rates[run], 1}, errors}));
    }
    const CommonDrift speed(means, of_run);
    speeds.of_all.push_back(sure_speed(speed.of_all()));
    for (std::size_t i = 0; i < side.figures.size(); ++i) {
      speeds.without[i].push_back(sure_speed(speed.without(i)));
    }
  }
  return speeds;
}

const std::vector<double>& speeds_for(const RunSpeeds& speeds, std::size_t figure) {
  return figure < speeds.without.size() ? speeds.without[figure] : speeds.of_all;
}

// Removes from each run by how much it was slower or faster; the means stay.
Figures level_runs(const FamilySide& side, const RunSpeeds& speeds,
                   std::span<const std::size_t> belongs_to) {
  Figures levelled = side.figures;
  if (speeds.of_all.size() != side.rates.size()) return levelled;
  for (std::size_t i = 0; i < levelled.size(); ++i) {
    const Seconds mean = mean_time({levelled[i], side.rates}).mean;
    const std::vector<double>& of_runs = speeds_for(speeds, belongs_to[i]);
    for (std::size_t run = 0; run < levelled[i].size(); ++run) levelled[i][run] /= of_runs[run];
    const Seconds changed = mean_time({levelled[i], side.rates}).mean;
    if (!(changed > 0)) continue;
    for (Ticks& ticks : levelled[i]) ticks *= mean / changed;
  }
  return levelled;
}

std::vector<MeanTime> means_of(const FamilySide& side, const RunSpeeds& speeds,
                               std::span<const std::size_t> belongs_to) {
  return means_of(level_runs(side, speeds, belongs_to), side);
}

// By how much the ratios of times differ that have any number of samples.
double difference_of(const RunVariation& variation, const FamilySide& before,
                     const FamilySide& after) {
  if (!variation.known()) return unknown_difference;
  return difference_of_ratios(variation.typical(), before.rates.size(), after.rates.size());
}

void mark(std::vector<TimeChange>& changes, double level) {
  std::vector<TimeChange*> tested;
  tested.reserve(changes.size());
  for (TimeChange& change : changes) tested.push_back(&change);
  mark_significant(tested, level);
}

const Drift& drift_for(const CommonConditions& conditions, std::size_t figure) {
  return figure < conditions.drift_without.size() ? conditions.drift_without[figure]
                                                  : conditions.drift;
}

}  // namespace

bool FamilySide::exact() const {
  return !errors.empty() && std::all_of(errors.begin(), errors.end(),
                                        [](const SampleErrors& run) { return run.exact(); });
}

// First with the drift of all other figures. Those that changed all the same are then no evidence
// of what everything has in common.
MultipleTest compare_family(const FamilySide& before, const FamilySide& after, double level) {
  MultipleTest family;
  CommonConditions& conditions = family.conditions;
  conditions.before = speeds_of(before);
  conditions.after = speeds_of(after);
  const std::size_t count = std::min(before.figures.size(), after.figures.size());
  std::vector<std::size_t> itself(count);
  std::iota(itself.begin(), itself.end(), std::size_t{0});
  const auto old_means = means_of(before, conditions.before, itself);
  const auto new_means = means_of(after, conditions.after, itself);
  // Counts do not drift, and each has the variance of its own runs.
  const bool exact = before.exact() && after.exact();
  if (!exact) conditions.variation = RunVariation(old_means, new_means);
  const double difference = difference_of(conditions.variation, before, after);
  const CommonDrift drift(old_means, new_means, {}, difference);
  family.changes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    family.changes.push_back(time_change(old_means[i], new_means[i],
                                         exact ? Drift() : drift.without(i), conditions.variation));
  }
  mark(family.changes, level);
  if (exact) return family;
  std::vector<bool> changed(count);
  for (std::size_t i = 0; i < count; ++i) changed[i] = family.changes[i].significant;
  const CommonDrift of_unchanged(old_means, new_means, changed, difference);
  conditions.drift = of_unchanged.of_all();
  conditions.drift_without.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    conditions.drift_without.push_back(of_unchanged.without(i));
  }
  return family;
}

std::vector<TimeChange> compare_under(const CommonConditions& conditions,
                                      std::span<const std::size_t> belongs_to,
                                      const FamilySide& before, const FamilySide& after,
                                      double level) {
  const auto old_means = means_of(before, conditions.before, belongs_to);
  const auto new_means = means_of(after, conditions.after, belongs_to);
  const std::size_t count = std::min(old_means.size(), new_means.size());
  std::vector<TimeChange> changes;
  changes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    changes.push_back(time_change(old_means[i], new_means[i], drift_for(conditions, belongs_to[i]),
                                  conditions.variation));
  }
  mark(changes, level);
  return changes;
}

}  // namespace gprof
