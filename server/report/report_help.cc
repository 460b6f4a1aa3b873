#include "server/report/report_help.h"

#include <algorithm>

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

using enum ArgumentKind;
using enum OptionTopic;

constexpr OptionDescription table[] = {
    {'p', "flat-profile", optional, "SYMSPEC", output,
     "the flat profile; with SYMSPEC, of what it\nmatches"},
    {'P', "no-flat-profile", optional, "SYMSPEC", output,
     "no flat profile; with SYMSPEC, one without\nwhat it matches"},
    {'q', "graph", optional, "SYMSPEC", output,
     "the call graph; with SYMSPEC, of what it\nmatches and what that calls; FROM/TO means arcs"},
    {'Q', "no-graph", optional, "SYMSPEC", output,
     "no call graph; with SYMSPEC, one without what\nit matches"},
    {'B', "", none, "", output, "the call graph"},
    {'C', "exec-counts", optional, "SYMSPEC", output,
     "how often each function ran; with -l also its\nbasic blocks, where they were counted"},
    {'Z', "no-exec-counts", optional, "SYMSPEC", output,
     "no such counts; with SYMSPEC, those of\neverything else"},
    {'A', "annotated-source", optional, "SYMSPEC", output,
     "the source, a count beside each function"},
    {'J', "no-annotated-source", optional, "SYMSPEC", output,
     "no source; with SYMSPEC, that of everything\nelse"},
    {'r', "function-ordering", none, "", output,
     "an order of functions in the program that\nkeeps together what runs together"},
    {'R', "file-ordering", required, "MAP", output,
     "such an order of object files; MAP says which\nfunction lies in which file, one OBJECT:...\n"
     "NAME a line"},
    {'i', "file-info", none, "", output, "what each profile file holds"},
    {'s', "sum", none, "", output,
     "write the sum of all profile files to gmon.sum,\nof their sidecars to gmon.sum.gpx; "
     "reports\nbeside it are by line, as with -l"},

    {'a', "no-static", none, "", analysis,
     "give time and calls of static functions to the\nfunction before them"},
    {'c', "static-call-graph", none, "", analysis,
     "add the calls that the machine code could make,\nas arcs with count 0"},
    {'D', "ignore-non-functions", none, "", analysis,
     "leave out local symbols that are no functions"},
    {'k', "", required, "FROM/TO", analysis, "drop the arcs from FROM to TO"},
    {'l', "line", none, "", analysis, "profile by source line instead of by function"},
    {'m', "min-count", required, "N", analysis, "mark source that ran less than N times (1)"},
    {'n', "time", required, "SYMSPEC", analysis,
     "propagate in the call graph the time of\nmatching symbols alone"},
    {'N', "no-time", required, "SYMSPEC", analysis,
     "propagate in the call graph no time of\nmatching symbols"},
    {'S', "external-symbol-table", required, "FILE", analysis,
     "take the symbols from FILE (ADDRESS TYPE NAME a\nline), not from the program"},
    {'z', "display-unused-functions", none, "", analysis,
     "show also what took no time and was not called"},
    {option_accurate, "accurate", none, "", analysis,
     "count and name every function by itself, also\nthose that GNU gprof adds to a neighbour"},
    {option_error, "error", none, "", analysis, "show the statistical error of sampled times"},

    {'d', "debug", optional, "TOPICS", data,
     "tell how the data came about; TOPICS is a sum of\nthe manual's numbers, all if left out"},
    {'O', "file-format", required, "FORMAT", data,
     "of profile files: auto (default), bsd, 4.4bsd or\nmagic; the first letter is enough"},

    {'b', "brief", none, "", appearance, "do not explain the columns"},
    {'I', "directory-path", required, "DIRS", appearance,
     "look for source files in DIRS, too; several are\nseparated by colons"},
    {'L', "print-path", none, "", appearance, "show files with their directories"},
    {'t', "table-length", required, "N", appearance,
     "show the N lines of each source file that ran\nmost (10)"},
    {'T', "traditional", none, "", appearance, "the layout of BSD gprof"},
    {'w', "width", required, "COLUMNS", appearance, "of the index of functions (80)"},
    {'x', "all-lines", none, "", appearance, "annotate every line, not just the first of a\nblock"},
    {'y', "separate-files", none, "", appearance,
     "write the annotated source FILE to FILE-ann in\nthe current directory"},
    {option_demangle, "demangle", optional, "STYLE", appearance,
     "show names as their language writes them\n(default); STYLE is auto, gnu-v3, java, gnat,\n"
     "dlang, rust or none"},
    {option_no_demangle, "no-demangle", none, "", appearance, "show names as the linker has them"},
    {option_inline_file_names, "inline-file-names", none, "", appearance,
     "add the source file to every name"},
    {option_color, "color", optional, "WHEN", appearance,
     "auto (default: on a terminal), always or never;\nalways if WHEN is left out"},
    {option_no_pager, "no-pager", none, "", appearance,
     "print to a terminal at once, not through a pager"},

    {'e', "", required, "FUNCTION", deprecated, "no entry for FUNCTION in the call graph"},
    {'E', "", required, "FUNCTION", deprecated, "as -e, and its time does not count"},
    {'f', "", required, "FUNCTION", deprecated, "entries for FUNCTION and what it calls alone"},
    {'F', "", required, "FUNCTION", deprecated, "as -f, and only their time counts"},

    {'h', "help", none, "", information, "print this text"},
    {'v', "version", none, "", information, "print the version"},
};

struct Topic {
  OptionTopic topic;
  std::string_view title;
};
constexpr Topic topics[] = {
    {output, "Output (without any: -p and -q, as far as there are data)"},
    {analysis, "Analysis"},
    {data, "Data"},
    {appearance, "Appearance"},
    {deprecated, "Deprecated (-q, -Q, -n and -N say the same with a SYMSPEC)"},
    {information, "Information"},
};

// "-p[SYMSPEC], --flat-profile[=SYMSPEC]" would be too long: the argument stands once.
std::string spelling(const OptionDescription& option) {
  std::string text = option.has_letter() ? fmt::format("-{}", static_cast<char>(option.code)) : "";
  if (!option.name.empty()) {
    text += fmt::format("{}--{}", text.empty() ? "    " : ", ", option.name);
  }
  const std::string_view separator = option.name.empty() ? " " : "=";
  if (option.argument == required) text += fmt::format("{}{}", separator, option.argument_name);
  if (option.argument == optional) text += fmt::format("[{}{}]", separator, option.argument_name);
  return text;
}

void append_option(std::string& text, const OptionDescription& option) {
  constexpr std::size_t help_column = 33;
  std::string line = "  " + spelling(option);
  if (line.size() + 2 > help_column) {
    text += line + '\n';
    line.clear();
  }
  line.resize(help_column, ' ');
  for (const char letter : option.help) {
    line += letter;
    if (letter == '\n') line.append(help_column, ' ');
  }
  text += line + '\n';
}

}  // namespace

std::span<const OptionDescription> report_option_table() { return table; }

const OptionDescription* find_report_option(int code) {
  const auto* found =
      std::ranges::find_if(table, [code](const auto& option) { return option.code == code; });
  return found == std::end(table) ? nullptr : found;
}

std::string report_help_text() {
  std::string text =
      "Usage: gprof-lsp report [OPTION]... [PROGRAM [PROFILE]...]\n\n"
      "Prints what GNU gprof prints of PROGRAM (a.out) and the sum of all PROFILEs (gmon.out;\n"
      "- is standard input). The command line is GNU gprof's: optional arguments are attached\n"
      "to their letter, long options may be shortened, @FILE stands for the words in FILE.\n";
  for (const Topic& topic : topics) {
    text += fmt::format("\n{}:\n", topic.title);
    for (const OptionDescription& option : table) {
      if (option.topic == topic.topic) append_option(text, option);
    }
  }
  text += "\nA SYMSPEC is NAME, FILE.EXT, LINE, FILE:NAME or FILE:LINE. See gprof-lsp-report(1).\n";
  return text;
}

}  // namespace gprof::lsp
