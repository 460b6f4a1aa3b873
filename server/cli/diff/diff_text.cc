// The comparison as a table for a terminal.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "server/cli/diff/diff_result.h"
#include "server/features/difference_text.h"
#include "server/features/external_names.h"
#include "server/text/number_text.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {
namespace {

std::string percent_change(const TimeChange& change) {
  if (!(change.before > 0)) return "";
  return fmt::format("{:+.1f} %", change.difference() / change.before * 100);
}

std::string calls_text(const CallRange& calls) {
  if (calls.least == calls.most) return short_count(calls.least);
  return fmt::format("{}…{}", short_count(calls.least), short_count(calls.most));
}

std::string calls_text(const CallsChange& calls) {
  if (calls.verdict == CallsVerdict::unknown) return "";
  if (calls.verdict == CallsVerdict::same) return calls_text(calls.after);
  return fmt::format("{} -> {}", calls_text(calls.before), calls_text(calls.after));
}

// "0.420"; "<0.030" if no sample was taken.
std::string side_time(Seconds time, Seconds below) {
  return time > 0 || !(below > 0) ? fmt::format("{:.3f}", time) : fmt::format("<{:.3f}", below);
}

// Names are last, as they may be of any length.
constexpr std::string_view row_format = "{:>9} {:>9} {:>17} {:>10} {:>17}  {:<16}  {}";

class TextWriter {
 public:
  explicit TextWriter(const DiffResult& result)
      : result_(result),
        comparison_(result.comparison),
        unit_(comparison_.dimension_abbreviation()) {}

  std::string write();

 private:
  void say(std::string_view text) { text_ += on_one_line(text) + "\n"; }
  void write_sides();
  void write_functions();
  void write_libraries();
  void write_lines();
  void write_what_decides();
  void write_gate();
  void write_exit_status();
  [[nodiscard]] std::string row(const TimeChange& change, std::string_view calls,
                                std::string_view verdict, std::string_view name);
  // "noise (8 runs)": with that many runs on each side it would probably be significant.
  [[nodiscard]] std::string verdict_text(const TimeChange& change, std::string_view verdict);
  [[nodiscard]] bool is_regressed() const;
  [[nodiscard]] bool is_worth_a_row(const ComparedFunction& function) const;

  const DiffResult& result_;
  const Comparison& comparison_;
  const char unit_;
  bool decided_ = false;  // a verdict says how many runs would decide
  std::string text_;
};

std::string side_text(std::string_view which, const DiffSide& side) {
  return fmt::format("{} {}, {} {}", which, side.executable, side.profiles.size(),
                     side.profiles.size() == 1 ? "run" : "runs");
}

std::string TextWriter::verdict_text(const TimeChange& change, std::string_view verdict) {
  if (verdict != name_of(Verdict::noise) || !change.runs_to_decide) return std::string(verdict);
  decided_ = true;
  return fmt::format("{} ({} runs)", verdict, *change.runs_to_decide);
}

void TextWriter::write_sides() {
  say(side_text("before:", result_.options.before));
  say(side_text("after: ", result_.options.after));
  if (!comparison_.has_times()) return;
  const TimeChange& program = comparison_.program();
  const std::string percent = percent_change(program);
  say(fmt::format("program: {:.3f} {} -> {:.3f} {}, {:+.3f} ± {:.3f} {}{}, {}", program.before,
                  unit_, program.after, unit_, program.difference(), program.error, unit_,
                  percent.empty() ? "" : fmt::format(" ({})", percent),
                  verdict_text(program, name_of(verdict_of(program)))));
}

std::string TextWriter::row(const TimeChange& change, std::string_view calls,
                            std::string_view verdict, std::string_view name) {
  const std::string difference = fmt::format("{:+.3f} ± {:.3f}", change.difference(), change.error);
  return fmt::format(row_format, side_time(change.before, change.before_below),
                     side_time(change.after, change.after_below), difference,
                     percent_change(change), calls, verdict_text(change, verdict), name);
}

bool TextWriter::is_worth_a_row(const ComparedFunction& function) const {
  if (result_.options.metric == ComparisonMetric::calls) {
    return function.calls.before.most > 0 || function.calls.after.most > 0;
  }
  const TimeChange& time = function.time(result_.options.metric);
  return time.before > 0 || time.after > 0;
}

void TextWriter::write_functions() {
  const ComparisonMetric metric = result_.options.metric;
  const auto ranked = comparison_.ranked(metric);
  say("");
  say(fmt::format(row_format, "before", "after", "difference", "%", "calls", "verdict",
                  "function"));
  say(fmt::format(
      row_format, fmt::format("{} {}", metric == ComparisonMetric::total ? "total" : "self", unit_),
      unit_, unit_, "", "", "",
      metric == ComparisonMetric::total && !comparison_.totals_measured() ? "(totals estimated)"
                                                                          : ""));
  std::size_t shown = 0;
  std::size_t left_out = 0;
  for (const std::size_t index : ranked) {
    const ComparedFunction& function = comparison_.functions()[index];
    if (!is_worth_a_row(function)) continue;
    if (result_.options.limit > 0 && shown >= result_.options.limit) {
      ++left_out;
      continue;
    }
    ++shown;
    say(row(function.time(metric), calls_text(function.calls), shown_verdict(function, metric),
            shown_name(comparison_, function)));
  }
  if (left_out > 0) say(fmt::format("{} more; --limit=0 shows all", exact_count(left_out)));
}

// Only self times are known of them.
void TextWriter::write_libraries() {
  if (result_.options.metric != ComparisonMetric::self || comparison_.externals().empty()) return;
  say("");
  say("functions of libraries:");
  std::size_t shown = 0;
  std::size_t left_out = 0;
  for (const std::size_t index : comparison_.ranked_externals()) {
    const ComparedExternal& external = comparison_.externals()[index];
    if (!(external.self.before > 0 || external.self.after > 0)) continue;
    if (result_.options.limit > 0 && shown >= result_.options.limit) {
      ++left_out;
      continue;
    }
    ++shown;
    say(row(external.self, "", name_of(verdict_of(external.self)),
            external_name_with_module(external.code, true)));
  }
  if (left_out > 0) say(fmt::format("{} more; --limit=0 shows all", exact_count(left_out)));
}

void TextWriter::write_lines() {
  if (!result_.options.lines) return;
  say("");
  std::size_t significant = 0;
  for (const ComparedLine& line : result_.lines) {
    if (line.self.significant) ++significant;
  }
  say(fmt::format("lines: {} compared, {} changed significantly", exact_count(result_.lines.size()),
                  exact_count(significant)));
  std::size_t shown = 0;
  for (const ComparedLine& line : result_.lines) {
    if (!(line.self.before > 0 || line.self.after > 0)) continue;
    if (result_.options.limit > 0 && shown++ >= result_.options.limit) break;
    const std::string_view verdict = name_of(verdict_of(line.self));
    const std::string moved =
        line.before == line.after ? "" : fmt::format(" (was {})", line.before);
    say(row(line.self, "", verdict, fmt::format("{}:{}{}", line.file, line.after, moved)));
  }
}

void TextWriter::write_gate() {
  if (!result_.options.fail_over) return;
  const auto failures = gate_failures(result_);
  if (!failures.empty()) say("");
  for (const GateFailure& failure : failures) {
    say(fmt::format(
        "over {:g} %: {} lost {:.1f} % of {} before", *result_.options.fail_over,
        failure.function != nullptr ? shown_name(comparison_, *failure.function) : "the program",
        failure.percent,
        result_.options.metric == ComparisonMetric::calls ? "all calls" : "the program's time"));
  }
  const bool of_functions = std::ranges::none_of(
      failures, [](const GateFailure& failure) { return failure.function == nullptr; });
  if (failures.empty() || !of_functions || result_.options.metric == ComparisonMetric::calls)
    return;
  const TimeChange& program = comparison_.program();
  say(fmt::format("the whole program is not over the limit: {:+.3f} ± {:.3f} {}, {}",
                  program.difference(), program.error, unit_,
                  verdict_text(program, name_of(verdict_of(program)))));
}

void TextWriter::write_what_decides() {
  if (!decided_) return;
  say("");
  say("noise (N runs): with N runs on each side, a difference of this size would probably be "
      "significant");
}

bool TextWriter::is_regressed() const {
  const ComparisonMetric metric = result_.options.metric;
  const auto regressed = [metric](const ComparedFunction& function) {
    return metric == ComparisonMetric::calls
               ? function.calls.verdict == CallsVerdict::more
               : verdict_of(function, function.time(metric)) == Verdict::regressed;
  };
  return std::ranges::any_of(comparison_.functions(), regressed) ||
         (metric != ComparisonMetric::calls &&
          verdict_of(comparison_.program()) == Verdict::regressed);
}

void TextWriter::write_exit_status() {
  const auto& limit = result_.options.fail_over;
  const int status = exit_status(result_);
  std::string why;
  if (status != 0) {
    why = fmt::format("what is listed above is over the limit, --fail-over={:g}", *limit);
  } else if (limit) {
    why = fmt::format("nothing regressed significantly by more than {:g} %", *limit);
  } else if (is_regressed()) {
    why = "regressions fail only with --fail-over=PERCENT";
  } else {
    why = "nothing regressed significantly";
  }
  say("");
  say(fmt::format("exit status {}: {}", status, why));
}

std::string TextWriter::write() {
  write_sides();
  for (const std::string& remark : result_.remarks) say("note: " + remark);
  write_functions();
  write_libraries();
  write_lines();
  write_what_decides();
  write_gate();
  write_exit_status();
  return std::move(text_);
}

}  // namespace

std::string diff_text(const DiffResult& result) { return TextWriter(result).write(); }

}  // namespace gprof::lsp
