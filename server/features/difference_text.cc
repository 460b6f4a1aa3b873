#include "server/features/difference_text.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "server/features/cost_text.h"
#include "server/text/number_text.h"

namespace gprof::lsp {
namespace {

// One side's time: without samples it is less than `below`, not zero.
std::string time_of(const FunctionCosts& profile, Seconds seconds, Seconds error, Seconds below) {
  const TimeUnit unit = unit_of(profile);
  return seconds > 0 || !(below > 0) ? amount(seconds, error, unit) : "< " + limit(below, unit);
}

std::string signed_time(const FunctionCosts& profile, Seconds seconds, Seconds error) {
  return fmt::format("{}{}", seconds < 0 ? "−" : "+",
                     amount(std::abs(seconds), error, unit_of(profile)));
}

std::string ratio_text(const TimeChange& change) {
  if (!(change.before > 0)) return {};
  const double percent = change.difference() / change.before * 100;
  return fmt::format(" ({}{:.0f} %)", percent < 0 ? "−" : "+", std::abs(percent));
}

std::string_view arrow(const TimeChange& change) { return change.difference() > 0 ? "▲" : "▼"; }

std::string time_change_text(const FunctionCosts& profile, std::string_view what,
                             const TimeChange& change) {
  return fmt::format("{} {}{} {}", what, signed_time(profile, change.difference(), change.error),
                     ratio_text(change), arrow(change));
}

std::string calls_change_text(const CallsChange& calls) {
  const bool more = calls.verdict == CallsVerdict::more;
  if (!more && calls.verdict != CallsVerdict::fewer) return {};
  const auto difference =
      more ? calls.after.most - calls.before.most : calls.before.most - calls.after.most;
  return fmt::format("{} call{} {}", short_count(difference), difference == 1 ? "" : "s",
                     more ? "more" : "fewer");
}

void append(std::string& text, const std::string& part) {
  if (part.empty()) return;
  if (!text.empty()) text += " · ";
  text += part;
}

std::string range_text(const CallRange& calls) {
  if (calls.least == calls.most) return exact_count(calls.least);
  return fmt::format("{} – {}", exact_count(calls.least), exact_count(calls.most));
}

std::string_view origin_word(LineOrigin origin) {
  return origin == LineOrigin::edited ? "edited" : origin == LineOrigin::added ? "new" : "";
}

// Which edit may explain the difference: of this line or of a neighbour. Empty if none does.
std::string origin_text(const LineDifference& line) {
  if (line.beside_change) {
    return "A neighbouring line was edited or added, and its time changed by more. Some of its "
           "samples may have been attributed to this line.";
  }
  if (line.origin == LineOrigin::same) return {};
  std::string text =
      line.origin == LineOrigin::edited ? "Edited since the base" : "Not in the base";
  if (line.self && line.lines_together > 1) {
    text += fmt::format("; compared together with the {} other changed lines around it",
                        line.lines_together - 1);
  }
  return text + ".";
}

std::string_view calls_word(CallsVerdict verdict) {
  switch (verdict) {
    case CallsVerdict::same:
      return "same";
    case CallsVerdict::more:
      return "more";
    case CallsVerdict::fewer:
      return "fewer";
    case CallsVerdict::run_dependent:
      return "depends on the run";
    case CallsVerdict::unknown:
      break;
  }
  return "";
}

using Row = std::vector<std::string>;
Row difference_header() { return {"Compared with the base", "Base", "Now", "Difference", ""}; }

// "noise; 8 runs a side would decide"
std::string verdict_text(Verdict verdict, const TimeChange& change) {
  if (verdict != Verdict::noise || !change.runs_to_decide) return std::string(name_of(verdict));
  return fmt::format("{}; {} runs a side would decide", name_of(verdict), *change.runs_to_decide);
}

Row time_row(const FunctionCosts& profile, std::string name, const TimeChange& change,
             Verdict verdict) {
  return {std::move(name),
          time_of(profile, change.before, change.before_error, change.before_below),
          time_of(profile, change.after, change.after_error, change.after_below),
          difference_with_error(profile, change), verdict_text(verdict, change)};
}

Row calls_row(const CallsChange& calls) {
  const double difference = calls.difference();
  return {"Calls", range_text(calls.before), range_text(calls.after),
          fmt::format("{}{}",
                      difference < 0   ? "−"
                      : difference > 0 ? "+"
                                       : "",
                      exact_count(static_cast<std::uint64_t>(std::llround(std::abs(difference))))),
          std::string(calls_word(calls.verdict))};
}

void write_basis(MarkupWriter& out, const Comparison& comparison) {
  std::string text;
  const bool several = comparison.runs_before() > 1 || comparison.runs_after() > 1;
  if (several) {
    text = fmt::format("Of one run, by {} of the base and {} now.", comparison.runs_before(),
                       comparison.runs_after());
  }
  if (!comparison.variance_known() && !comparison.exact()) {
    append(text, several ? "The single run is taken to vary as the runs of the other side do."
                         : "Run-to-run variation is unknown: each side is a single run.");
  }
  if (!text.empty()) out.paragraph(text);
}

}  // namespace

DifferenceData difference_data(const TimeChange& line) {
  return {line.before, line.difference(), line.error, verdict_of(line), line.runs_to_decide};
}

DifferenceData difference_data(const ComparedFunction& function, const TimeChange& change) {
  return {change.before, change.difference(), change.error, verdict_of(function, change),
          change.runs_to_decide};
}

std::optional<ComparedFunction> comparison_of(const FileView& view, const FunctionCost& function) {
  if (!view.program.comparison) return std::nullopt;
  return view.program.comparison->together(function.symbols);
}

bool differs_from_base(const FileView& view, const FunctionCost& function) {
  const auto compared = comparison_of(view, function);
  if (!compared || compared->before == no_symbol) return false;
  const CallsVerdict calls = compared->calls.verdict;
  return compared->self.significant || compared->total.significant || calls == CallsVerdict::more ||
         calls == CallsVerdict::fewer;
}

std::string function_difference_text(const FileView& view, const FunctionCost& function) {
  const auto compared = comparison_of(view, function);
  if (!compared) return {};
  if (compared->before == no_symbol) return "new";
  std::string text;
  const FunctionCosts& profile = view.profile();
  if (compared->self.significant) append(text, time_change_text(profile, "self", compared->self));
  if (compared->total.significant)
    append(text, time_change_text(profile, "total", compared->total));
  append(text, calls_change_text(compared->calls));
  return text;
}

std::string line_difference_text(const FileView& view, const LineDifference& line,
                                 bool with_calls) {
  std::string text;
  const auto& change = with_calls && line.total ? line.total : line.self;
  const bool is_marked = change && change->significant;
  if (is_marked) {
    const double difference = change->difference();
    text = fmt::format(
        "{}{}", difference < 0 ? "−" : "+",
        short_amount(std::abs(difference), change->error, spelled_unit_of(view.profile())));
    if (!line.is_spared(*change)) text += fmt::format(" {}", arrow(*change));
  }
  if (line.origin != LineOrigin::same) {
    text += is_marked ? " " : "";
    text += origin_word(line.origin);
  }
  if (line.executions_before && line.executions_after) {
    const double difference = *line.executions_after - *line.executions_before;
    const auto count = static_cast<std::uint64_t>(std::llround(std::abs(difference)));
    if (count > 0) {
      append(text, fmt::format("{}× {}", short_count(count), difference > 0 ? "more" : "fewer"));
    }
  }
  return text;
}

std::string difference_with_error(const FunctionCosts& profile, const TimeChange& change) {
  return fmt::format("{} ± {}{}", signed_time(profile, change.difference(), change.error),
                     amount(change.error, change.error, unit_of(profile)), ratio_text(change));
}

void write_function_difference(MarkupWriter& out, const FileView& view,
                               const FunctionCost& function) {
  const auto compared = comparison_of(view, function);
  if (!compared) return;
  const Comparison& comparison = *view.program.comparison;
  if (compared->before == no_symbol) {
    return out.paragraph("The base has no such function.");
  }
  std::vector<Row> rows;
  if (comparison.has_times()) {
    const FunctionCosts& profile = view.profile();
    rows.push_back(
        time_row(profile, "Self", compared->self, verdict_of(*compared, compared->self)));
    rows.push_back(time_row(profile,
                            comparison.totals_measured()
                                ? fmt::format("Total, {}", measured_remark(profile))
                                : "Total, estimated",
                            compared->total, verdict_of(*compared, compared->total)));
  }
  if (compared->calls.verdict != CallsVerdict::unknown) rows.push_back(calls_row(compared->calls));
  if (rows.empty()) return;
  out.table(difference_header(), rows);
  write_basis(out, comparison);
}

void write_line_difference(MarkupWriter& out, const FileView& view, const LineDifference& line) {
  std::vector<Row> rows;
  const auto add_time = [&](std::string name, const TimeChange& change) {
    rows.push_back(time_row(view.profile(), std::move(name), change, verdict_of(change)));
    if (change.significant && line.is_spared(change)) rows.back().back() = "next to a changed line";
  };
  if (line.self && (line.self->before > 0 || line.self->after > 0)) add_time("Self", *line.self);
  const bool calls_cost =
      line.total && line.self &&
      (line.total->before > line.self->before || line.total->after > line.self->after);
  if (calls_cost) add_time("With what it calls", *line.total);
  if (line.executions_before && line.executions_after) {
    const double difference = *line.executions_after - *line.executions_before;
    auto count = [](double executions) {
      return exact_count(static_cast<std::uint64_t>(std::llround(std::abs(executions))));
    };
    rows.push_back({"Executed", count(*line.executions_before), count(*line.executions_after),
                    fmt::format("{}{}",
                                difference < 0   ? "−"
                                : difference > 0 ? "+"
                                                 : "",
                                count(difference)),
                    ""});
  }
  const std::string origin = origin_text(line);
  if (!origin.empty()) out.paragraph(origin);
  if (rows.empty()) return;
  out.table(difference_header(), rows);
  write_basis(out, *view.program.comparison);
}

}  // namespace gprof::lsp
