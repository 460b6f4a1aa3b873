#include "server/features/line_differences.h"

#include <algorithm>
#include <vector>

#include "server/features/cost_text.h"

namespace gprof::lsp {
namespace {

// The sum of several runs counts as one run sampled more often.
class SummedSide {
 public:
  explicit SummedSide(const Snapshot& snapshot)
      : runs_(static_cast<double>(std::max<std::size_t>(snapshot.profile_paths().size(), 1))),
        rate_(snapshot.profile().ticks_per_second() * runs_),
        errors_(snapshot.profile().errors()) {}

  [[nodiscard]] MeanTime mean(const LineCost* cost) const {
    const Ticks ticks = cost == nullptr ? 0 : cost->self;
    return mean_time({{&ticks, 1}, {&rate_, 1}, {&errors_, 1}});
  }
  [[nodiscard]] std::optional<double> executions(const LineCost* cost) const {
    if (cost == nullptr || !cost->executions) return std::nullopt;
    return static_cast<double>(*cost->executions) / runs_;
  }

 private:
  double runs_;
  double rate_;
  SampleErrors errors_;
};

}  // namespace

LineDifferences::LineDifferences(const FileView& view) {
  if (!view.base || !view.program.comparison) return;
  const FileView& base = *view.base;
  const SummedSide before(base.snapshot());
  const SummedSide after(view.snapshot());
  const bool times = has_times(view.profile()) && has_times(base.profile());
  const Drift& drift = view.program.comparison->drift();
  auto compare = [&](LineNumber text_line) {
    const auto old_line = base.build_line(text_line);
    const auto new_line = view.build_line(text_line);
    if (!old_line || !new_line || lines_.contains(*new_line)) return;
    if (!base.is_current(text_line) || !view.is_current(text_line)) return;
    const LineCost* old_cost = base.costs->line(*old_line);
    const LineCost* new_cost = view.costs->line(*new_line);
    LineDifference& line = lines_[*new_line];
    if (times) line.self = time_change(before.mean(old_cost), after.mean(new_cost), drift);
    line.executions_before = before.executions(old_cost);
    line.executions_after = after.executions(new_cost);
  };
  for (const LineCost& cost : view.costs->lines) {
    if (const auto text_line = view.text_line(cost.line)) compare(*text_line);
  }
  for (const LineCost& cost : base.costs->lines) {
    if (const auto text_line = base.text_line(cost.line)) compare(*text_line);
  }
  std::vector<TimeChange*> changes;
  for (auto& [number, line] : lines_) {
    if (line.self) changes.push_back(&*line.self);
  }
  mark_significant(changes, family_level);
}

const LineDifference* LineDifferences::of(LineNumber build_line) const {
  const auto found = lines_.find(build_line);
  return found == lines_.end() ? nullptr : &found->second;
}

}  // namespace gprof::lsp
