#include "server/cli/report/report_options.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "server/cli/report/report_values.h"
#include "server/discovery/named_profiles.h"

namespace gprof::lsp {
namespace {

using enum ReportKind;
using enum SymspecList;

OptionGroup output_options(ReportRequest& request) {
  return {
      "Output (without any: -p and -q, as far as there are data)",
      {
          {'p', "flat-profile", style_value(request, {flat_profile, include_flat, false}),
           "the flat profile; with SYMSPEC, of what it matches",
           "The flat profile shows where the time was spent."},
          {'P', "no-flat-profile", style_value(request, {flat_profile, exclude_flat, true}),
           "no flat profile; with SYMSPEC, one without what it matches"},
          {'q', "graph", style_value(request, {call_graph, include_graph, false}),
           "the call graph; with SYMSPEC, of what it matches and what that calls; FROM/TO means "
           "arcs",
           "The call graph shows who called whom, and the time that these calls took."},
          {'Q', "no-graph", style_value(request, {call_graph, exclude_graph, true}),
           "no call graph; with SYMSPEC, one without what it matches"},
          {'B', "", report_value(request, call_graph), "the call graph"},
          {'C', "exec-counts", style_value(request, {execution_counts, include_executions, false}),
           "how often each function ran; with -l also its basic blocks, if they were counted"},
          {'Z', "no-exec-counts",
           style_value(request, {execution_counts, exclude_executions, true}),
           "no such counts; with SYMSPEC, those of everything else"},
          {'A', "annotated-source",
           style_value(request, {annotated_source, include_annotation, false}),
           "the source, with a count beside each function"},
          {'J', "no-annotated-source",
           style_value(request, {annotated_source, exclude_annotation, true}),
           "no source; with SYMSPEC, that of everything else"},
          {'r', "function-ordering", report_value(request, function_ordering),
           "an order of functions in the program that keeps together what runs together"},
          {'R', "file-ordering", function_map_value("MAP", request),
           "such an order of object files; MAP says which function lies in which file, one "
           "OBJECT:... NAME per line",
           "The lines of MAP are those of nm --extern-only --defined-only -v --print-file-name. "
           "Not together with -r."},
          {'i', "file-info", flag(request.file_information),
           "how many records of each kind the profile files hold; nothing else unless asked for"},
          {'s', "sum", sum_value(request),
           "write the sum of all profile files to gmon.sum, of their sidecars to gmon.sum.gpx; "
           "reports beside it are by line, as with -l"},
      },
      "An option that ends a report's printing without a SYMSPEC leaves it out of this default."};
}

// GNU gprof's --time, which takes symbols, and a stretch of time, which is none.
OptionValue time_value(ReportOptions& options) {
  OptionValue value = symspec_value("SYMSPEC", options.request, {include_time});
  value.set = [&options, symspec = std::move(value.set)](std::optional<std::string_view> text) {
    return take_stretch(*text, options.part.selection) ? Expected<void>() : symspec(text);
  };
  return value;
}

// Their names do not make those of GNU gprof ambiguous.
OptionGroup report_part_options(ProfilePart& part) {
  OptionGroup group = part_options(part, {"time"});
  group.details =
      "These need --accurate, except for imported profiles: perf.data, the text of perf script, "
      "callgrind's, pprof's and gperftools' files, and folded stacks. So does -n/--time with a "
      "stretch of time. "
      "gprof-lsp check lists what "
      "there is.";
  for (OptionRow& row : group.rows) row.in_full = true;
  return group;
}

OptionGroup analysis_options(ReportOptions& options) {
  ReportRequest& request = options.request;
  return {"Analysis",
          {
              {'a', "no-static", flag(request.ignore_static),
               "give time and calls of static functions to the function before them"},
              {'c', "static-call-graph", flag(request.static_calls),
               "add the calls that the machine code could make, as arcs with count 0"},
              {'D', "ignore-non-functions", flag(request.ignore_non_functions),
               "leave out local symbols that are not functions"},
              {'k', "", symspec_value("FROM/TO", request, {exclude_arcs}),
               "drop the arcs from functions that match FROM to those that match TO"},
              {'l', "line", flag(request.by_line), "profile by source line instead of by function"},
              {'m', "min-count", minimum_value("N", request.minimum_count),
               "mark source that ran less than N times (1)"},
              {'n', "time", time_value(options),
               "propagate in the call graph the time of matching symbols alone; as FROM..TO, in "
               "seconds since the run began: report only what happened from FROM to before TO",
               "Either of FROM and TO may be left out. Counts of calls have no time: a stretch of "
               "time leaves them out. It needs --accurate."},
              {'N', "no-time", symspec_value("SYMSPEC", request, {exclude_time}),
               "propagate in the call graph no time of matching symbols"},
              {'S', "external-symbol-table", file_value("FILE", request.external_symbols),
               "take the symbols from FILE (ADDRESS TYPE NAME per line), not from the program",
               "/proc/kallsyms has such lines."},
              {'z', "display-unused-functions", flag(request.show_unused),
               "show also what took no time and was not called"},
              {0, "accurate", flag(request.accurate),
               "count and name every function by itself, also those that GNU gprof adds to a "
               "neighbour",
               "That is: clones made by the compiler, symbols that GNU gprof passes over, code "
               "without a symbol. If the profile was recorded with stacks, the call graph shows "
               "the times of callers and callees as they were measured. Without this option the "
               "figures are GNU gprof's."},
              {0, "error", flag(request.show_errors), "show the statistical error of sampled times",
               "With --accurate also that of times with callees, and, where these are estimates, "
               "what they lie between whatever each call cost."},
          }};
}

OptionGroup data_options(ReportRequest& request, bool& prof_format) {
  return {"Data",
          {
              {'d', "debug", topics_value("TOPICS", request.debug_topics),
               "show how the data came about; TOPICS is a sum of the manual's numbers, all if left "
               "out"},
              {'O', "file-format", format_value("FORMAT", request.format, prof_format),
               "the format of profile files: auto (default), bsd, 4.4bsd or magic (GNU); the first "
               "letter is "
               "enough"},
          }};
}

// Switched off by --no-demangle, and on again by --demangle.
struct DemanglingChoice {
  bool on = true;
  DemangleStyle style = DemangleStyle::automatic;
};

OptionValue demangle_value(DemanglingChoice& choice) {
  using enum DemangleStyle;
  auto value = choice_value<DemangleStyle>("STYLE", choice.style,
                                           {{"auto", automatic},
                                            {"gnu-v3", gnu_v3},
                                            {"java", java},
                                            {"gnat", gnat},
                                            {"dlang", dlang},
                                            {"rust", rust},
                                            {"none", none}});
  value.use = ValueUse::optional;
  value.set = [&choice, set = std::move(value.set)](std::optional<std::string_view> style) {
    choice.on = true;
    return style ? set(style) : Expected<void>();
  };
  return value;
}

OptionGroup appearance_options(ReportOptions& options, DemanglingChoice& demangling) {
  ReportRequest& request = options.request;
  return {
      "Appearance",
      {
          {'b', "brief", flag(request.brief), "do not explain the columns"},
          {'I', "directory-path", directories_value("DIRS", request.source_directories),
           "also look for source files in DIRS, separated by colons", "May be repeated."},
          {'L', "print-path", flag(request.full_paths), "show files with their directories"},
          {'t', "table-length", integer_value("N", request.table_length, 0),
           "show the N lines of each source file that ran most (10)"},
          {'T', "traditional", flag(request.traditional), "the layout of BSD gprof",
           "Names are as the linker has them."},
          {'w', "width", integer_value("COLUMNS", request.index_width, 1),
           "the width of the index of functions (80)"},
          {'x', "all-lines", flag(request.every_line),
           "annotate every line, not just the first of a block"},
          {'y', "separate-files", flag(request.separate_files),
           "write the annotated source FILE to FILE-ann in the current directory"},
          {0, "demangle", demangle_value(demangling),
           "show names as their language writes them (default); STYLE is auto, gnu-v3, java, gnat, "
           "dlang, rust or none"},
          {0, "no-demangle", flag(demangling.on, false), "show names as the linker has them"},
          {0, "inline-file-names", flag(request.inline_file_names),
           "add the source file to every name"},
          {0, "color",
           choice_value<ColorChoice>("WHEN", options.color,
                                     {{"auto", ColorChoice::automatic},
                                      {"always", ColorChoice::always},
                                      {"never", ColorChoice::never}},
                                     ColorChoice::always),
           "colour the report: auto (default: on a terminal), always or never; always if WHEN is "
           "left "
           "out"},
          {0, "no-pager", flag(options.pager, false),
           "print to a terminal directly, not through a pager"},
      }};
}

OptionGroup deprecated_options(ReportRequest& request) {
  return {"Deprecated (-q, -Q, -n and -N say the same with a SYMSPEC)",
          {
              {'e', "", symspec_value("FUNCTION", request, {exclude_graph}),
               "no entry for FUNCTION in the call graph"},
              {'E', "", symspec_value("FUNCTION", request, {exclude_time, exclude_graph}),
               "as -e, and its time does not count"},
              {'f', "", symspec_value("FUNCTION", request, {include_graph}),
               "entries only for FUNCTION and what it calls"},
              {'F', "", symspec_value("FUNCTION", request, {include_time, include_graph}),
               "as -f, and only their time counts"},
          }};
}

// What depends on the whole line.
Expected<void> take_operands(ReportOptions& options, const Operands& operands) {
  ReportRequest& request = options.request;
  const auto& words = operands.words;
  if (!words.empty()) request.executable = words.front();
  if (words.size() > 1) {
    request.profiles = named_profiles(std::span(words).subspan(1));
    options.profiles_named = true;
  }
  if (options.profiles_named && std::ranges::count(request.profiles, "-") > 1) {
    return usage_error("-: standard input can be read once only; name it once");
  }
  if (request.kinds.contains(function_ordering) && request.kinds.contains(file_ordering)) {
    return usage_error(
        "-r/--function-ordering and -R/--file-ordering exclude each other; give one");
  }
  return {};
}

// What setters leave for the end of the line.
struct PendingChoices {
  DemanglingChoice demangling;
  bool prof_format = false;
};

}  // namespace

std::vector<std::string> split_directories(std::string_view text) {
  std::vector<std::string> directories;
  for (;;) {
    const std::size_t colon = text.find(':');
    directories.emplace_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return directories;
    text.remove_prefix(colon + 1);
  }
}

CommandSyntax report_syntax(ReportOptions& options) {
  const auto pending = std::make_shared<PendingChoices>();
  ReportRequest& request = options.request;
  CommandSyntax syntax;
  syntax.name = "report";
  syntax.summary = "Print the reports of GNU gprof";
  syntax.usage = {"[OPTION]... [PROGRAM [PROFILE]...]"};
  syntax.about =
      "The reports are for PROGRAM (a.out) and the sum of all PROFILEs (gmon.out; - is\n"
      "standard input). The command line is GNU gprof's: optional arguments are\n"
      "attached to their letter, long options may be shortened, @FILE stands for the\n"
      "words in FILE.";
  syntax.groups = {output_options(request),
                   analysis_options(options),
                   report_part_options(options.part),
                   data_options(request, pending->prof_format),
                   appearance_options(options, pending->demangling),
                   deprecated_options(request),
                   {"Information", {help_option(), version_option('v')}}};
  syntax.closing =
      "A SYMSPEC is NAME, FILE.EXT, LINE, FILE:NAME or FILE:LINE. See\n"
      "gprof-lsp-report(1).";
  syntax.operands = ValueKind::file;
  syntax.order =
      std::getenv("POSIXLY_CORRECT") == nullptr ? WordOrder::getopt : WordOrder::getopt_leading;
  syntax.usage_status = 1;
  syntax.finish = [&options, pending](const Operands& operands) -> Expected<void> {
    if (pending->prof_format) {
      return usage_error(
          "-O/--file-format=prof: cannot be read; expected auto, bsd, 4.4bsd or magic");
    }
    // The traditional layout knows linkage names only.
    const bool demangles = pending->demangling.on && !options.request.traditional;
    options.request.demangle.reset();
    if (demangles) options.request.demangle = pending->demangling.style;
    return take_operands(options, operands);
  };
  return syntax;
}

}  // namespace gprof::lsp
