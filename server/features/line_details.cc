#include "server/features/line_details.h"

#include <algorithm>

#include <fmt/format.h>

#include "server/features/cost_text.h"
#include "server/features/difference_text.h"
#include "server/features/external_time.h"
#include "server/features/line_functions.h"
#include "server/features/line_metrics.h"
#include "server/features/shown_name.h"
#include "server/features/wait_text.h"
#include "server/protocol/uri.h"
#include "server/text/number_text.h"
#include "server/text/source_names.h"

namespace gprof::lsp {
namespace {

std::string link_target(const FileView& view, SymbolIndex symbol) {
  if (symbol == no_symbol) return {};
  const auto declaration = view.sources().declaration(symbol);
  if (!declaration) return {};
  const auto path = view.program.paths->workspace_path(declaration->file);
  if (!path) return {};
  LineNumber line = declaration->line;
  if (declaration->file == view.costs->file) line = view.text_line(line).value_or(line);
  return fmt::format("{}#L{}", uri_from_path(*path), line);
}

// "queue.c:12", as lines are numbered now.
std::string place_text(const FileView& view, FileId file, LineNumber line) {
  const std::string path = view.sources().path(file);
  if (file == view.costs->file) line = view.text_line(line).value_or(line);
  return fmt::format("{}:{}", path.substr(path.rfind('/') + 1), line);
}

NameForms name_forms(const FileView& view, SymbolIndex symbol) {
  constexpr std::size_t max_width = 60;
  if (symbol == no_symbol) return {"<spontaneous>"};
  const std::string name = view.name_of(symbol);
  NameForms forms = {fitted_name(name, max_width), name};
  if (view.demangle) forms.push_back(shown_name(view.sources(), symbol).signature);
  if (const auto declared = view.sources().declaration(symbol)) {
    forms.push_back(
        fmt::format("{} ({})", forms.back(), place_text(view, declared->file, declared->line)));
  }
  return forms;
}

std::string count_text(const FileView& view, const LineCall& call) {
  if (call.count == 0) return "–";
  if (!call.approximate()) return exact_count(call.count);
  if (call.candidate_lines.size() > 1) {
    return fmt::format("≈{} from {} together", exact_count(call.count),
                       candidate_lines_text(view, call));
  }
  return fmt::format("≈{} from here and elsewhere together", exact_count(call.count));
}

void write_calls(MarkupWriter& out, const FileView& view, const LineCost& cost,
                 const LineMetrics& metrics) {
  if (cost.calls.empty()) return;
  const FunctionCosts& profile = view.profile();
  const bool times = has_times(profile);
  const bool counted = metrics.calls.has_value();
  std::vector<std::string> header = {"Called from here"};
  if (counted) header.emplace_back("Calls");
  if (times) {
    header.push_back(counted ? "Time" : fmt::format("Time, {}", measured_remark(profile)));
  }
  std::vector<SymbolIndex> callees;
  for (const LineCall& call : cost.calls) callees.push_back(call.callee);
  const std::vector<std::string> names = listed_names(view, callees);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < cost.calls.size(); ++i) {
    const LineCall& call = cost.calls[i];
    std::vector<std::string> row = {function_link(out, view, call.callee, names[i])};
    if (counted) row.push_back(count_text(view, call));
    const Seconds seconds = metrics.callees[i].seconds.value_or(0);
    if (times) {
      std::string time = time_text(profile, seconds * profile.ticks_per_second());
      row.push_back(call.measured ? std::move(time) : estimated_text(std::move(time)));
    }
    rows.push_back(std::move(row));
  }
  out.table(header, rows);
}

// "0.12 s in `sum`, inlined into `total` at work.c:12, that into `main` at main.c:40."
std::string copy_text(const MarkupWriter& out, const FileView& view, const InlinedCopy& copy) {
  std::string text = fmt::format("{} in {}", time_text(view.profile(), copy.self),
                                 out.link(copy.chain.front().callee, ""));
  for (std::size_t i = 0; i < copy.chain.size(); ++i) {
    const InlinedStep& step = copy.chain[i];
    text += fmt::format(", {}inlined into {} at {}", i == 0 ? "" : "that ",
                        out.link(step.caller, ""), place_link(out, view, step.call));
  }
  return text + ".";
}

void write_inlining(MarkupWriter& out, const FileView& view, const LineInlining& inlining) {
  constexpr std::size_t most_shown = 5;
  const std::size_t shown = std::min(inlining.copies.size(), most_shown);
  for (std::size_t i = 0; i < shown; ++i) {
    out.composed_paragraph(copy_text(out, view, inlining.copies[i]));
  }
  if (inlining.copies.size() > shown) {
    out.paragraph(fmt::format("… and {} more copies.", inlining.copies.size() - shown));
  }
  if (inlining.calls.empty()) return;
  std::string text = "Inlined here (its time is counted where it is defined): ";
  for (std::size_t i = 0; i < std::min(inlining.calls.size(), most_shown); ++i) {
    const InlinedHere& call = inlining.calls[i];
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", out.link(call.callee, ""),
                        time_text(view.profile(), call.self));
  }
  out.composed_paragraph(text + ".");
}

}  // namespace

void write_executions(MarkupWriter& out, const LineCost& cost) {
  if (!cost.executions) return;
  out.paragraph(fmt::format("Executed {} time{}.", exact_count(*cost.executions),
                            *cost.executions == 1 ? "" : "s"));
}

void write_line_details(MarkupWriter& out, const FileView& view, const LineCost& cost) {
  const FunctionCosts& profile = view.profile();
  LineMeter meter(view);
  const LineMetrics metrics = meter.measure(cost);
  write_executions(out, cost);
  if (has_times(profile)) {
    std::string text;
    if (cost.self > 0) {
      text = fmt::format("Self {}{}.", time_with_error(profile, cost.self),
                         kernel_share_text(profile, cost.kernel, cost.self));
    }
    const Ticks total = meter.total_ticks(cost);
    const std::string_view gap = text.empty() ? "" : " ";
    if (total > cost.self && cost.measured_total) {
      text += fmt::format(
          "{}With what it calls{} {}, {}.", gap,
          cost.inlining && !cost.inlining->calls.empty() ? " and what is inlined here" : "",
          time_with_error(profile, total), measured_remark(profile));
    } else if (total > cost.self) {
      text += fmt::format("{}With what it calls {}, if every call of a function cost the same.",
                          gap, estimated_text(time_and_share(profile, total)));
    }
    const std::string external = external_time_text(
        out, view, cost.external_calls, [&](Ticks ticks) { return time_text(profile, ticks); });
    if (!external.empty()) text += fmt::format("{}Of that, {}.", text.empty() ? "" : " ", external);
    if (!text.empty()) out.composed_paragraph(text);
  }
  write_waits(out, view, cost.waits.get(), cost.own_waits.get());
  const LineDifferences differences(view);
  if (const LineDifference* line = differences.of(cost.line)) {
    write_line_difference(out, view, *line);
  }
  write_calls(out, view, cost, metrics);
  const auto functions = functions_of_line(view, cost.line);
  if (functions.size() > 1) write_functions_of_line(out, view, functions, "Defined here");
  if (cost.inlining && has_times(profile)) write_inlining(out, view, *cost.inlining);
}

std::vector<std::string> listed_names(const FileView& view, std::span<const SymbolIndex> symbols) {
  std::vector<NameForms> forms;
  forms.reserve(symbols.size());
  for (const SymbolIndex symbol : symbols) forms.push_back(name_forms(view, symbol));
  return distinct_forms(forms);
}

std::string function_link(const MarkupWriter& out, const FileView& view, SymbolIndex symbol) {
  return function_link(out, view, symbol, listed_names(view, std::span(&symbol, 1)).front());
}

std::string function_link(const MarkupWriter& out, const FileView& view, SymbolIndex symbol,
                          std::string_view name) {
  return out.link(name, link_target(view, symbol));
}

std::string line_link(const MarkupWriter& out, const FileView& view, LineNumber line) {
  const std::uint32_t text_line = view.text_line(line).value_or(line);
  const auto path = view.program.paths->workspace_path(view.costs->file);
  return out.link(fmt::format("{}", text_line),
                  path ? fmt::format("{}#L{}", uri_from_path(*path), text_line) : "");
}

std::string place_link(const MarkupWriter& out, const FileView& view, const SourceLocation& place) {
  LineNumber line = place.line;
  if (place.file == view.costs->file) line = view.text_line(line).value_or(line);
  const auto here = view.program.paths->workspace_path(place.file);
  return out.link(place_text(view, place.file, place.line),
                  here ? fmt::format("{}#L{}", uri_from_path(*here), line) : "");
}

std::string candidate_lines_text(const FileView& view, const LineCall& call) {
  std::string lines;
  for (const LineNumber line : call.candidate_lines) {
    if (!lines.empty()) lines += ", ";
    lines += fmt::format("{}", view.text_line(line).value_or(line));
  }
  return "the lines " + lines;
}

}  // namespace gprof::lsp
