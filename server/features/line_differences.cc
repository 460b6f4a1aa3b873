#include "server/features/line_differences.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "engine/comparison/multiple_test.h"
#include "server/features/cost_text.h"

namespace gprof::lsp {
namespace {

// The lines of one side, run by run.
class LineSide {
 public:
  LineSide(const FileView& view, bool inlined_at_calls) : at_calls_(inlined_at_calls) {
    const std::size_t profiles = std::max<std::size_t>(view.snapshot().profile_paths().size(), 1);
    profile_count_ = static_cast<double>(profiles);
    for (const auto& run : view.program.runs) add(*run, view.costs->file, 1);
    // They were not kept, or none of them has samples.
    if (rates_.empty()) add(view.snapshot(), view.costs->file, profile_count_);
    sum_ = view.costs;
  }

  [[nodiscard]] FamilySide self_family() const { return {rates_, {}, errors_}; }
  [[nodiscard]] FamilySide total_family() const { return {rates_, {}, errors_of_totals_}; }
  [[nodiscard]] std::vector<Ticks> self(LineNumber line) const {
    return ticks(line, [this](const LineCost& cost) {
      return at_calls_ ? cost.self_at_calls() : cost.self;
    });
  }
  [[nodiscard]] std::vector<Ticks> total(LineNumber line) const {
    return ticks(line, [this](const LineCost& cost) {
      const auto total = at_calls_ ? cost.measured_total_at_calls() : cost.measured_total;
      return total.value_or(0);
    });
  }
  [[nodiscard]] std::optional<double> executions(LineNumber line) const {
    const LineCost* cost = sum_->line(line);
    if (cost == nullptr || !cost->executions) return std::nullopt;
    return static_cast<double>(*cost->executions) / profile_count_;
  }

 private:
  // As `weight` runs of equal length.
  void add(const Snapshot& run, FileId file, double weight) {
    const FunctionCosts& profile = run.profile();
    if (!profile.has_samples() || !(profile.ticks_per_second() > 0)) return;
    costs_.push_back(run.source_index().costs(file));
    rates_.push_back(profile.ticks_per_second() * weight);
    errors_.push_back(profile.errors());
    errors_of_totals_.push_back(profile.errors().of_all_code());
  }

  template <typename Figure>
  [[nodiscard]] std::vector<Ticks> ticks(LineNumber line, const Figure& figure) const {
    std::vector<Ticks> of_runs;
    of_runs.reserve(costs_.size());
    for (const auto& costs : costs_) {
      const LineCost* cost = costs->line(line);
      of_runs.push_back(cost == nullptr ? 0 : figure(*cost));
    }
    return of_runs;
  }

  bool at_calls_;
  double profile_count_ = 1;
  std::shared_ptr<const FileCosts> sum_;
  std::vector<std::shared_ptr<const FileCosts>> costs_;  // one entry per run, as all of these
  std::vector<double> rates_;
  std::vector<SampleErrors> errors_;
  std::vector<SampleErrors> errors_of_totals_;
};

// Which of the compared functions a line belongs to.
std::size_t function_of(const FileView& view, LineNumber line) {
  const FunctionCost* function = view.costs->function_at(line);
  if (function == nullptr) return no_figure;
  return view.program.comparison->place_of(function->symbols).value_or(no_figure);
}

// The lines that are compared, and their figures.
class LineFamily {
 public:
  LineFamily(const FileView& view, const FileView& base)
      : view_(view),
        before_(base, view.inlined_at_calls),
        after_(view, view.inlined_at_calls),
        self_{before_.self_family(), after_.self_family()},
        total_{before_.total_family(), after_.total_family()} {}

  [[nodiscard]] const LineSide& before() const { return before_; }
  [[nodiscard]] const LineSide& after() const { return after_; }

  void add(LineNumber old_line, LineNumber new_line, LineDifference& line) {
    lines_.push_back(&line);
    belongs_to_.push_back(function_of(view_, new_line));
    self_.before.figures.push_back(before_.self(old_line));
    self_.after.figures.push_back(after_.self(new_line));
    total_.before.figures.push_back(before_.total(old_line));
    total_.after.figures.push_back(after_.total(new_line));
  }
  void compare() {
    set(self_, &LineDifference::self);
    if (view_.program.comparison->totals_measured()) set(total_, &LineDifference::total);
  }

 private:
  struct Sides {
    FamilySide before;
    FamilySide after;
  };
  void set(const Sides& sides, std::optional<TimeChange> LineDifference::*metric) {
    const auto changes = compare_under(view_.program.comparison->conditions(), belongs_to_,
                                       sides.before, sides.after, family_level);
    for (std::size_t i = 0; i < lines_.size(); ++i) lines_[i]->*metric = changes[i];
  }

  const FileView& view_;
  LineSide before_;
  LineSide after_;
  std::vector<LineDifference*> lines_;
  std::vector<std::size_t> belongs_to_;
  Sides self_;
  Sides total_;
};

}  // namespace

LineDifferences::LineDifferences(const FileView& view) {
  if (!view.base || !view.program.comparison) return;
  const FileView& base = *view.base;
  LineFamily family(view, base);
  const bool times = has_times(view.profile()) && has_times(base.profile());
  auto take = [&](LineNumber text_line) {
    const auto old_line = base.build_line(text_line);
    const auto new_line = view.build_line(text_line);
    if (!old_line || !new_line || lines_.contains(*new_line)) return;
    if (!base.is_current(text_line) || !view.is_current(text_line)) return;
    LineDifference& line = lines_[*new_line];
    if (times) family.add(*old_line, *new_line, line);
    line.executions_before = family.before().executions(*old_line);
    line.executions_after = family.after().executions(*new_line);
  };
  for (const LineCost& cost : view.costs->lines) {
    if (const auto text_line = view.text_line(cost.line)) take(*text_line);
  }
  for (const LineCost& cost : base.costs->lines) {
    if (const auto text_line = base.text_line(cost.line)) take(*text_line);
  }
  if (times) family.compare();
}

const LineDifference* LineDifferences::of(LineNumber build_line) const& {
  const auto found = lines_.find(build_line);
  return found == lines_.end() ? nullptr : &found->second;
}

}  // namespace gprof::lsp
