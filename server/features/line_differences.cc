#include "server/features/line_differences.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <unordered_map>
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
    if (rates_.empty()) {
      add(view.snapshot(), view.costs->file, profile_count_);
      runs_each_ = profile_count_;
    }
    sum_ = view.costs;
  }

  [[nodiscard]] FamilySide self_family() const { return {rates_, {}, errors_, runs_each_}; }
  [[nodiscard]] FamilySide total_family() const {
    return {rates_, {}, errors_of_totals_, runs_each_};
  }
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
  double runs_each_ = 1;
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

  // Which of some lines of the new build takes most time, with what it calls if that is measured.
  [[nodiscard]] LineNumber costliest(std::span<const LineNumber> lines) const {
    const auto time_of = [this](LineNumber line) {
      const auto self = after_.self(line);
      const auto total = after_.total(line);
      return std::max(std::accumulate(self.begin(), self.end(), Ticks{0}),
                      std::accumulate(total.begin(), total.end(), Ticks{0}));
    };
    return *std::ranges::max_element(lines, {}, time_of);
  }
  [[nodiscard]] const LineSide& before() const { return before_; }
  [[nodiscard]] const LineSide& after() const { return after_; }

  void add(LineNumber old_line, LineNumber new_line, LineDifference& line) {
    add({&old_line, 1}, {&new_line, 1}, line);
  }
  // Several lines as one.
  void add(std::span<const LineNumber> old_lines, std::span<const LineNumber> new_lines,
           LineDifference& line) {
    lines_.push_back(&line);
    belongs_to_.push_back(new_lines.empty() ? no_figure : function_of(view_, new_lines.front()));
    self_.before.figures.push_back(sum(old_lines, [&](auto at) { return before_.self(at); }));
    self_.after.figures.push_back(sum(new_lines, [&](auto at) { return after_.self(at); }));
    total_.before.figures.push_back(sum(old_lines, [&](auto at) { return before_.total(at); }));
    total_.after.figures.push_back(sum(new_lines, [&](auto at) { return after_.total(at); }));
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
  // Run by run.
  template <typename TicksAt>
  [[nodiscard]] static std::vector<Ticks> sum(std::span<const LineNumber> lines,
                                              const TicksAt& ticks_at) {
    // A line that is not there has as many runs.
    std::vector<Ticks> all = ticks_at(0);
    for (const LineNumber line : lines) {
      const std::vector<Ticks> ticks = ticks_at(line);
      for (std::size_t run = 0; run < all.size(); ++run) all[run] += ticks[run];
    }
    return all;
  }
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

// Lines of both builds between two lines that are in both, in one function.
struct ChangedLines {
  std::vector<LineNumber> before;
  std::vector<LineNumber> after;
  bool code_before = false;  // the base has code there
};

// Which of the compared functions lines of a build belong to.
using Functions = std::function<std::size_t(LineNumber)>;

Functions functions_of_base(const FileView& base, const Comparison& comparison) {
  std::unordered_map<SymbolIndex, std::size_t> places;
  for (std::size_t i = 0; i < comparison.functions().size(); ++i) {
    const SymbolIndex symbol = comparison.functions()[i].before;
    if (symbol != no_symbol) places.emplace(symbol, i);
  }
  return [&base, places = std::move(places)](LineNumber line) {
    const FunctionCost* function = base.costs->function_at(line);
    if (function == nullptr) return no_figure;
    for (const SymbolIndex symbol : function->symbols) {
      const auto found = places.find(base.snapshot().symbols()[symbol].clone_of);
      if (found != places.end()) return found->second;
    }
    return no_figure;
  };
}

bool is_in_both(const FileView& view, const FileView& base, LineNumber text_line) {
  return base.build_line(text_line) && view.build_line(text_line) && base.is_current(text_line) &&
         view.is_current(text_line);
}

// Finds what was edited or is new, from one line that is in both builds to the next.
class ChangedLineFinder {
 public:
  ChangedLineFinder(const FileView& view, const FileView& base)
      : view_(view),
        base_(base),
        functions_of_base_(functions_of_base(base, *view.program.comparison)) {}

  [[nodiscard]] std::vector<ChangedLines> find();

 private:
  // The base's lines from `first` to before `end`, and the gathered ones of the new build.
  void end_stretch(LineNumber first, LineNumber end);

  const FileView& view_;
  const FileView& base_;
  Functions functions_of_base_;
  std::vector<LineNumber> gathered_;  // lines of the new build with costs
  std::vector<ChangedLines> found_;
};

std::vector<ChangedLines> ChangedLineFinder::find() {
  LineNumber first = 1;
  for (LineNumber line = 1; line <= view_.text->line_count(); ++line) {
    if (is_in_both(view_, base_, line)) {
      const LineNumber old_line = *base_.build_line(line);
      end_stretch(first, old_line);
      first = old_line + 1;
      continue;
    }
    const auto new_line = view_.build_line(line);
    if (new_line && view_.is_current(line) && view_.costs->line(*new_line) != nullptr) {
      gathered_.push_back(*new_line);
    }
  }
  end_stretch(first, std::numeric_limits<LineNumber>::max());
  return std::move(found_);
}

void ChangedLineFinder::end_stretch(LineNumber first, LineNumber end) {
  if (gathered_.empty()) return;
  std::map<std::size_t, ChangedLines> by_function;
  for (const LineNumber line : gathered_) {
    by_function[function_of(view_, line)].after.push_back(line);
  }
  gathered_.clear();
  const auto& code = base_.costs->lines_with_code;
  for (auto at = std::lower_bound(code.begin(), code.end(), first); at != code.end() && *at < end;
       ++at) {
    const auto found = by_function.find(functions_of_base_(*at));
    if (found == by_function.end()) continue;
    found->second.code_before = true;
    found->second.before.push_back(*at);
  }
  for (auto& [function, lines] : by_function) found_.push_back(std::move(lines));
}

}  // namespace

LineDifferences::LineDifferences(const FileView& view) {
  if (!view.base || !view.program.comparison) return;
  const FileView& base = *view.base;
  LineFamily family(view, base);
  const bool times = has_times(view.profile()) && has_times(base.profile());
  auto take = [&](LineNumber text_line) {
    if (!is_in_both(view, base, text_line)) return;
    const LineNumber old_line = *base.build_line(text_line);
    const LineNumber new_line = *view.build_line(text_line);
    if (lines_.contains(new_line)) return;
    LineDifference& line = lines_[new_line];
    if (times) family.add(old_line, new_line, line);
    line.executions_before = family.before().executions(old_line);
    line.executions_after = family.after().executions(new_line);
  };
  for (const LineCost& cost : view.costs->lines) {
    if (const auto text_line = view.text_line(cost.line)) take(*text_line);
  }
  for (const LineCost& cost : base.costs->lines) {
    if (const auto text_line = base.text_line(cost.line)) take(*text_line);
  }
  // If the base's text is unknown, no line is known to be edited or new.
  std::vector<ChangedLines> changed;
  if (base.source_state != SourceState::stale) changed = ChangedLineFinder(view, base).find();
  for (const ChangedLines& lines : changed) {
    for (const LineNumber line : lines.after) {
      lines_[line].origin = lines.code_before ? LineOrigin::edited : LineOrigin::added;
      if (times && !lines.code_before) family.add({}, {&line, 1}, lines_[line]);
    }
    if (!lines.code_before) continue;
    LineDifference& leading = lines_[family.costliest(lines.after)];
    leading.lines_together = lines.after.size();
    if (times) family.add(lines.before, lines.after, leading);
  }
  if (times) family.compare();
  for (const ChangedLines& lines : changed) {
    const LineDifference& leading = lines_[family.costliest(lines.after)];
    if (leading.self && leading.self->significant) {
      spare_neighbours(view, lines.after, *leading.self);
    }
  }
}

// Neighbours are the nearest line before and the nearest one after with costs. In another function,
// neither late samples nor mixed code explain a difference.
void LineDifferences::spare_neighbours(const FileView& view, std::span<const LineNumber> changed,
                                       const TimeChange& change) {
  const FunctionCost* function = view.costs->function_at(changed.front());
  const auto spare = [&](LineNumber number, LineDifference& line) {
    if (view.costs->function_at(number) != function) return;
    if (line.origin != LineOrigin::same || !line.self || !line.self->significant) return;
    const double own = line.self->difference();
    const double theirs = change.difference();
    if (own * theirs <= 0 || std::abs(own) > std::abs(theirs)) return;
    line.beside_change = true;
  };
  const auto first = lines_.find(changed.front());
  if (first != lines_.begin()) {
    const auto before = std::prev(first);
    spare(before->first, before->second);
  }
  const auto after = std::next(lines_.find(changed.back()));
  if (after != lines_.end()) spare(after->first, after->second);
}

const LineDifference* LineDifferences::of(LineNumber build_line) const& {
  const auto found = lines_.find(build_line);
  return found == lines_.end() ? nullptr : &found->second;
}

}  // namespace gprof::lsp
