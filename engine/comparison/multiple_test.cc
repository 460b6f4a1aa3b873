#include "engine/comparison/multiple_test.h"

#include <algorithm>
#include <cmath>

namespace gprof {
namespace {

using Figures = std::vector<std::vector<Ticks>>;

std::vector<MeanTime> means_of(const Figures& figures, const FamilySide& side, double spread = 0) {
  std::vector<MeanTime> means;
  means.reserve(figures.size());
  for (const auto& ticks : figures) {
    means.push_back(mean_time({ticks, side.rates, side.errors}, spread));
  }
  return means;
}

// The part of a ratio that chance cannot explain.
double beyond_error(const Drift& drift) {
  constexpr double sure = 2;
  const double off = drift.ratio - 1;
  if (!drift.known || std::abs(off) <= sure * drift.error) return 1;
  return 1 + off * (1 - drift.error * drift.error / (off * off));
}

// Removes from each run how much slower or faster than the others it was, according to the other
// figures; the means stay.
Figures level_runs(const FamilySide& side, const std::vector<MeanTime>& means) {
  Figures levelled = side.figures;
  if (side.exact() || side.rates.size() < 2) return levelled;
  for (std::size_t run = 0; run < side.rates.size(); ++run) {
    const std::span<const SampleErrors> errors =
        side.errors.empty() ? std::span<const SampleErrors>() : std::span(&side.errors[run], 1);
    std::vector<MeanTime> of_run;
    of_run.reserve(levelled.size());
    for (const auto& ticks : side.figures) {
      of_run.push_back(mean_time({{&ticks[run], 1}, {&side.rates[run], 1}, errors}));
    }
    const CommonDrift speed(means, of_run);
    for (std::size_t i = 0; i < levelled.size(); ++i) {
      levelled[i][run] /= beyond_error(speed.without(i));
    }
  }
  for (std::size_t i = 0; i < levelled.size(); ++i) {
    const Seconds mean = mean_time({levelled[i], side.rates}).mean;
    if (!(mean > 0)) continue;
    for (Ticks& ticks : levelled[i]) ticks *= means[i].mean / mean;
  }
  return levelled;
}

std::vector<MeanTime> means_of(const FamilySide& side) {
  const Figures levelled = level_runs(side, means_of(side.figures, side));
  const std::vector<MeanTime> means = means_of(levelled, side);
  const double spread = relative_spread(means, side.rates.size());
  return spread > 0 ? means_of(levelled, side, spread) : means;
}

}  // namespace

bool FamilySide::exact() const {
  return !errors.empty() && std::all_of(errors.begin(), errors.end(),
                                        [](const SampleErrors& run) { return run.exact(); });
}

MultipleTest compare_family(const FamilySide& before, const FamilySide& after, double level) {
  const auto old_means = means_of(before);
  const auto new_means = means_of(after);
  const CommonDrift drift(old_means, new_means);
  // Counts do not drift.
  const bool exact = before.exact() && after.exact();
  MultipleTest family{{}, exact ? Drift() : drift.of_all()};
  const std::size_t count = std::min(old_means.size(), new_means.size());
  family.changes.reserve(count);
  std::vector<TimeChange*> changes;
  for (std::size_t i = 0; i < count; ++i) {
    changes.push_back(&family.changes.emplace_back(
        time_change(old_means[i], new_means[i], exact ? Drift() : drift.without(i))));
  }
  mark_significant(changes, level);
  return family;
}

}  // namespace gprof
