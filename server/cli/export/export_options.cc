#include "server/cli/export/export_options.h"

#include <algorithm>
#include <span>

#include "server/discovery/named_profiles.h"

namespace gprof::lsp {
namespace {

std::string_view help_of(ExportFormat format) {
  switch (format) {
    case ExportFormat::callgrind:
      return "for callgrind_annotate and KCachegrind: time of lines, in microseconds, and calls";
    case ExportFormat::csv:
      return "a table of comma-separated values: see --table";
    case ExportFormat::dot:
      return "the hot part of the call graph, for Graphviz (dot -Tsvg)";
    case ExportFormat::folded:
      return "folded stacks in microseconds, for flame graph scripts";
    case ExportFormat::json:
      return "all tables as one document, for programs of your own";
    case ExportFormat::pprof:
      return "the compressed protocol buffer that pprof reads";
    case ExportFormat::speedscope:
      return "for https://www.speedscope.app";
  }
  return {};
}

std::vector<OptionRow> export_rows(ExportOptions& options) {
  return {
      {0, "format",
       choice_value<ExportFormat>("FORMAT", options.format, named_values<ExportFormat>(help_of)),
       "what to write; docs/export.md describes what is in each"},
      {0, "table", choice_value<ExportTable>("", options.table, named_values<ExportTable>()),
       "for csv, which holds one table (default: functions)"},
      {0, "threshold",
       number_value("SHARE", options.request.threshold, 0.0, 1.0, "a share from 0 to 1, as 0.005"),
       "leave out what takes less than this share of the whole, from 0 to 1: in dot (default: "
       "0.005) and in stacks (default: 0.0001 if they are estimated, 0 if they are measured)",
       "In stacks, what is left out becomes a frame [left out], so that totals stay the same."},
      {0, "no-demangle", flag(options.request.demangle, false),
       "linkage names instead of names as written in the source"},
      {'o', "output", file_value("FILE", options.output),
       "write to FILE, which appears, or is replaced, when it is whole (default, or -: standard "
       "output)",
       "The executable and the profiles being read are never replaced."},
      help_option(),
  };
}

}  // namespace

CommandSyntax export_syntax(ExportOptions& options) {
  CommandSyntax syntax;
  syntax.name = "export";
  syntax.summary = "Write a profile in a format that other tools open";
  syntax.usage = {"--format=FORMAT [OPTION]... EXECUTABLE [GMON]..."};
  syntax.about = "Several profiles are added up; without one, gmon.out is taken.";
  syntax.groups = {{"Options", export_rows(options)}, part_options(options.part)};
  syntax.closing =
      "Times of callers are measured if the profile has stacks (gprof-lsp record\n"
      "--stacks), and gprof's estimate elsewhere; each export says which.\n\n"
      "Exit status: 0 for success, 1 if something could not be read or written, 2 for a\n"
      "wrong command line.";
  syntax.operands = ValueKind::file;
  syntax.finish = [&options](const Operands& operands) -> Expected<void> {
    if (std::ranges::count(operands.words, "") != 0) {
      return usage_error("the name of a file is empty");
    }
    if (!options.format) {
      return usage_error(fmt::format("a format is missing: --format=FORMAT with one of {}",
                                     export_format_names()));
    }
    if (options.table && options.format != ExportFormat::csv) {
      return usage_error("--table is for --format=csv; the other formats hold all that they can");
    }
    if (operands.words.empty()) {
      return usage_error(
          "an executable is missing: gprof-lsp export --format=FORMAT EXECUTABLE [GMON]...");
    }
    options.request.format = *options.format;
    options.request.table = options.table.value_or(options.request.table);
    options.executable = operands.words.front();
    options.profiles = named_profiles(std::span(operands.words).subspan(1));
    if (options.profiles.empty()) options.profiles = {"gmon.out"};
    if (options.output == "-") options.output.clear();
    return {};
  };
  return syntax;
}

}  // namespace gprof::lsp
