#include "server/features/diagnostics.h"

#include <fmt/format.h>

#include "server/documents/line_hash.h"
#include "server/features/difference_text.h"
#include "server/features/other_programs.h"
#include "server/text/number_text.h"

namespace gprof::lsp {
namespace {

constexpr const char* stale_source = "stale-source";
constexpr const char* regression = "regression";

// The first line that differs from the build; the very first if only lines at the end are gone.
LineNumber first_changed_line(const FileView& view) {
  for (LineNumber line = 1; line <= view.text->line_count(); ++line) {
    if (!view.is_current(line)) return line;
  }
  return 1;
}

Diagnostic on_line(const FileView& view, LineNumber line) {
  Diagnostic diagnostic;
  diagnostic.range = {{line - 1, 0}, view.text->end_of_line(line)};
  diagnostic.code = stale_source;
  return diagnostic;
}

}  // namespace

std::vector<Diagnostic> source_diagnostics(const FileView& view) {
  if (view.source_state == SourceState::in_step) return {};
  const std::string program = program_title(view.program);
  if (view.source_state == SourceState::stale) {
    Diagnostic diagnostic = on_line(view, 1);
    diagnostic.severity = DiagnosticSeverity::warning;
    diagnostic.message = fmt::format(
        "This source was changed since {} was built, and the text that was compiled is not known: "
        "its lines show no figures. Build {} and run it again.",
        program, program);
    return {diagnostic};
  }
  Diagnostic diagnostic = on_line(view, first_changed_line(view));
  const std::uint32_t lines = view.lines_changed_since_build();
  const std::string what =
      lines == 0 ? "Lines were inserted into this source"
                 : fmt::format("{} line{} of this source {} changed", exact_count(lines),
                               lines == 1 ? "" : "s", lines == 1 ? "was" : "were");
  diagnostic.message = fmt::format(
      "{} since {} was built: figures follow the lines that are as they were. Build {} and run it "
      "again for figures of the new text.",
      what, program, program);
  return {diagnostic};
}

std::vector<Diagnostic> regression_diagnostics(const FileView& view) {
  std::vector<Diagnostic> diagnostics;
  if (!view.program.comparison) return diagnostics;
  for (const FunctionCost& function : view.costs->functions) {
    const auto compared = comparison_of(view, function);
    if (!compared) continue;
    const bool by_self = verdict_of(*compared, compared->self) == Verdict::regressed;
    const bool by_total = verdict_of(*compared, compared->total) == Verdict::regressed;
    if (!by_self && !by_total) continue;
    const auto range = name_range(view, function);
    if (!range) continue;
    Diagnostic diagnostic;
    diagnostic.range = *range;
    diagnostic.severity = DiagnosticSeverity::warning;
    diagnostic.code = regression;
    diagnostic.message = fmt::format(
        "{} is slower than in the base run: {} {}.", short_name(view.name_of(function)),
        by_self ? "self" : "total",
        difference_with_error(view.profile(), by_self ? compared->self : compared->total));
    diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

std::vector<Diagnostic> diagnostics_of(const FileView& view) {
  std::vector<Diagnostic> all = source_diagnostics(view);
  for (Diagnostic& diagnostic : regression_diagnostics(view)) {
    all.push_back(std::move(diagnostic));
  }
  return all;
}

std::string result_id(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    text += fmt::format("{}:{}-{}:{} {} {}", diagnostic.range.start.line,
                        diagnostic.range.start.character, diagnostic.range.end.line,
                        diagnostic.range.end.character, static_cast<int>(diagnostic.severity),
                        diagnostic.message);
  }
  return fmt::format("{:016x}", hash_line(text));
}

}  // namespace gprof::lsp
