#include "server/features/diagnostics.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "server/documents/line_hash.h"
#include "server/features/crash_text.h"
#include "server/features/difference_text.h"
#include "server/features/function_locations.h"
#include "server/features/other_programs.h"
#include "server/features/own_location.h"
#include "server/text/number_text.h"

namespace gprof::lsp {
namespace {

constexpr const char* stale_source = "stale-source";
constexpr const char* regression = "regression";
constexpr const char* crashed = "crash";
// That the message names; the outermost calls matter least.
constexpr std::size_t most_calls = 3;

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

// A call on the way to a crash.
struct CrashCall {
  std::string caller;
  SourceLocation location;
};

// Those in the program's own sources, the innermost first.
std::vector<CrashCall> calls_to(const Crash& crash, const CrashPlace& place, const FileView& view) {
  std::vector<CrashCall> calls;
  for (std::size_t i = place.frame + 1; i < crash.frames.size(); ++i) {
    const CrashFrame& frame = crash.frames[i];
    if (!frame.module.empty()) continue;
    const auto location = own_location(view.sources(), frame.address);
    const auto symbol = view.snapshot().symbols().find(frame.address);
    if (location && symbol) calls.push_back({short_name(view.name_of(*symbol)), *location});
  }
  return calls;
}

std::string described_calls(const std::vector<CrashCall>& calls, const FileView& view) {
  std::string text;
  for (std::size_t i = 0; i < std::min(calls.size(), most_calls); ++i) {
    const std::filesystem::path file = view.sources().path(calls[i].location.file);
    text += fmt::format("{}{} ({}:{})", i == 0 ? " Called by " : ", ", calls[i].caller,
                        file.filename().string(), calls[i].location.line);
  }
  if (calls.size() > most_calls) text += ", …";
  return text;
}

// Calls whose source is not there, or has changed in that line, are left out.
std::vector<DiagnosticRelatedInformation> related_calls(const std::vector<CrashCall>& calls,
                                                        const FileView& view,
                                                        const OpenView& open_view) {
  FunctionLocations locations(view.program, open_view);
  std::vector<DiagnosticRelatedInformation> related;
  for (const CrashCall& call : calls) {
    const auto location = locations.line(call.location.file, call.location.line);
    if (location) related.push_back({*location, fmt::format("called by {}", call.caller)});
  }
  return related;
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

std::vector<Diagnostic> crash_diagnostics(const FileView& view, bool related,
                                          const OpenView& open_view) {
  std::vector<Diagnostic> diagnostics;
  std::set<LineNumber> lines;
  for (const Crash& crash : view.snapshot().run_info().crashes()) {
    const auto place = own_place_of(crash, view.sources());
    if (!place || place->location.file != view.costs->file) continue;
    const auto line = view.text_line(place->location.line);
    // Several runs may have crashed on the same line: one diagnostic is enough.
    if (!line || !view.is_current(*line) || !lines.insert(*line).second) continue;
    const std::vector<CrashCall> calls = calls_to(crash, *place, view);
    Diagnostic diagnostic;
    diagnostic.range = range_of_line(view, *line);
    diagnostic.severity = DiagnosticSeverity::error;
    diagnostic.code = crashed;
    diagnostic.message = fmt::format("{} was {}.{}", program_title(view.program),
                                     text_at(crash, *place), described_calls(calls, view));
    if (related) diagnostic.related_information = related_calls(calls, view, open_view);
    diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

std::vector<Diagnostic> diagnostics_of(FeatureContext& context) {
  const ClientSettings& settings = context.settings;
  const bool crashes = settings.crash_diagnostics &&
                       std::ranges::any_of(*context.loaded, [](const LoadedProgram& program) {
                         return !program.snapshot->run_info().crashes().empty();
                       });
  std::vector<Diagnostic> all;
  if (!crashes && !settings.diagnostics) return all;
  const auto add = [&](std::vector<Diagnostic> more) {
    std::ranges::move(more, std::back_inserter(all));
  };
  context.views.use_costs_at_hand();
  if (settings.diagnostics) {
    if (const auto view = context.views.of_document()) {
      add(source_diagnostics(*view));
      add(regression_diagnostics(*view));
    }
  }
  if (!crashes) return all;
  for (const FileView& view : context.views.all_of_document()) {
    add(crash_diagnostics(view, context.client.diagnostic_related,
                          context.views.texts_of_program(view.program)));
  }
  return all;
}

std::string result_id(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    for (const auto& call :
         diagnostic.related_information.value_or(std::vector<DiagnosticRelatedInformation>())) {
      text +=
          fmt::format("{}#{} {} ", call.location.uri, call.location.range.start.line, call.message);
    }
    text += fmt::format("{}:{}-{}:{} {} {}", diagnostic.range.start.line,
                        diagnostic.range.start.character, diagnostic.range.end.line,
                        diagnostic.range.end.character, static_cast<int>(diagnostic.severity),
                        diagnostic.message);
  }
  return fmt::format("{:016x}", hash_line(text));
}

}  // namespace gprof::lsp
