#include <algorithm>
#include <limits>

#include "server/cli/diff/diff_command.h"
#include "server/discovery/named_profiles.h"

namespace gprof::lsp {
namespace {

constexpr std::string_view sides = "[OPTION]... OLD-EXE OLD-GMON... -- NEW-EXE NEW-GMON...";

OptionValue percent_value(std::string name, std::optional<double>& target) {
  auto value = number_value("", target, 0.0, 1e9, "a percentage, 0 or more");
  value.name = std::move(name);
  value.set = [number = std::move(value.set)](std::optional<std::string_view> text) {
    if (text->ends_with('%')) text->remove_suffix(1);
    return number(text);
  };
  return value;
}

// Other names are metrics of cost, which the profiles know.
OptionValue ranking_value(DiffOptions& options) {
  OptionValue value = metric_value(options.part);
  for (const auto& known : metric_names) value.choices.push_back({known.name, ""});
  value.set = [&options, cost = std::move(value.set)](
                  std::optional<std::string_view> name) -> Expected<void> {
    const auto known = std::ranges::find(metric_names, *name, &NamedValue<ComparisonMetric>::name);
    if (known == metric_names.end()) return cost(name);
    options.metric = known->value;
    return {};
  };
  return value;
}

std::vector<OptionRow> diff_rows(DiffOptions& options) {
  using enum DiffFormat;
  return {
      {0, "metric", ranking_value(options),
       "what is ranked and judged: self (default), total or calls; or the metric of cost that both "
       "sides are compared by, as cpu, Ir or page-faults",
       "May be given twice, to choose both. Total times are measured if all runs of both sides "
       "have stacks (gprof-lsp record "
       "--stacks), else gprof's estimate."},
      {0, "format",
       choice_value<DiffFormat>("", options.format,
                                {{"text", text}, {"json", json}, {"sarif", sarif}}),
       "what is written (default: text)",
       "docs/diff.md describes the JSON. SARIF 2.1.0 holds the regressions, each at the function's "
       "definition in the new build."},
      {0, "json", flag(options.format, json), "short for --format=json"},
      {'o', "output", file_value("FILE", options.output),
       "write to FILE instead of standard output"},
      {0, "limit",
       number_value<std::size_t>("N", options.limit, 0, std::numeric_limits<std::size_t>::max(),
                                 "a number; 0 shows all"),
       "rows of each table of the text (default: 20); 0: all"},
      {0, "fail-over", percent_value("PERCENT", options.fail_over),
       "exit with 1 if the program, or one function, regressed significantly by more than PERCENT "
       "of the program's time before (with --metric=calls: of all calls before)"},
      {0, "lines", flag(options.lines), "compare lines as well, if both source texts are known",
       "Lines of files that define sampled functions are matched by a diff of the source texts."},
      {0, "old-source", directory_value("DIR", options.old_source),
       "where the old build's sources are, for --lines",
       "They are taken for those that were compiled, unless a checksum in the executable says "
       "otherwise."},
      {0, "source-root", directory_value("DIR", options.source_root),
       "the directory that SARIF's paths are relative to (%SRCROOT%), and where the new build's "
       "sources are looked for (default: the current one)"},
      {0, "notes", flag(options.notes), "SARIF: improvements and new functions as notes"},
      help_option(),
  };
}

Expected<void> take_side(DiffSide& side, std::span<const std::string_view> words,
                         std::string_view which) {
  if (std::ranges::count(words, "") != 0) {
    return usage_error(fmt::format("the {} side holds a file without a name", which));
  }
  if (words.empty()) {
    return usage_error(
        fmt::format("the {} side's executable is missing: gprof-lsp diff {}", which, sides));
  }
  if (words.size() == 1) {
    return usage_error(
        fmt::format("a profile of {} is missing: gprof-lsp diff {}", words.front(), sides));
  }
  side.executable = words.front();
  side.profiles = named_profiles(words.subspan(1));
  return {};
}

}  // namespace

CommandSyntax diff_syntax(DiffOptions& options) {
  CommandSyntax syntax;
  syntax.name = "diff";
  syntax.summary = "Show what got slower, and what of it is noise";
  syntax.usage = {sides};
  syntax.about =
      "Each profile is a run of the executable before it. Several runs per side show\n"
      "how much runs vary; gprof-lsp record --runs=N makes them.";
  syntax.groups = {{"Options", diff_rows(options)}, part_options(options.part, {"metric"})};
  syntax.closing =
      "Exit status: 0, even if something regressed; 1 as --fail-over says; 2 if the\n"
      "command line is wrong or something could not be read, compared or written.";
  syntax.operands = ValueKind::file;
  syntax.finish = [&options](const Operands& operands) -> Expected<void> {
    if (!operands.parted) {
      return usage_error(
          fmt::format("-- between the old and the new side is missing: gprof-lsp diff {}", sides));
    }
    const std::span words(operands.words);
    auto taken = take_side(options.before, words.first(*operands.parted), "old");
    return taken ? take_side(options.after, words.subspan(*operands.parted), "new") : taken;
  };
  return syntax;
}

}  // namespace gprof::lsp
