#include "engine/comparison/time_family.h"

#include <algorithm>

namespace gprof {
namespace {

std::vector<MeanTime> means_of(const FamilySide& side) {
  std::vector<MeanTime> means;
  means.reserve(side.figures.size());
  for (const auto& ticks : side.figures)
    means.push_back(mean_time({ticks, side.rates, side.exact}));
  const double spread = relative_spread(means, side.rates.size());
  if (!(spread > 0)) return means;
  for (std::size_t i = 0; i < means.size(); ++i) {
    means[i] = mean_time({side.figures[i], side.rates, side.exact}, spread);
  }
  return means;
}

}  // namespace

TimeFamily compare_family(const FamilySide& before, const FamilySide& after, double level) {
  const auto old_means = means_of(before);
  const auto new_means = means_of(after);
  const CommonDrift drift(old_means, new_means);
  // A count does not drift.
  const bool exact = before.exact && after.exact;
  TimeFamily family{{}, exact ? Drift() : drift.of_all()};
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
