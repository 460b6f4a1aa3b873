#include "server/features/compared_functions.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "server/features/difference_text.h"
#include "server/features/shown_name.h"

namespace gprof::lsp {
namespace {

// A smaller common drift is not worth mentioning.
constexpr double least_drift_to_tell = 0.005;

}  // namespace

std::vector<std::string> comparison_remarks(const Comparison& comparison) {
  std::vector<std::string> remarks;
  const Drift& drift = comparison.drift();
  if (!comparison.has_times()) {
    remarks.emplace_back("one side has no samples: only calls are compared");
    return remarks;
  }
  const bool several = comparison.runs_before() > 1 || comparison.runs_after() > 1;
  if (!comparison.variance_known() && several && !comparison.exact()) {
    remarks.emplace_back(
        "a side has one run: it is taken to vary as the runs of the other side do");
  } else if (!comparison.variance_known()) {
    remarks.emplace_back(
        "a side has one run: how much runs vary is not known, and is not in the errors; record "
        "several, as gprof-lsp record --runs=5 does");
  }
  if (comparison.exact()) {
    remarks.emplace_back("costs were counted, not sampled: they have no sampling error");
  } else if (!drift.known) {
    remarks.emplace_back(
        "too few samples to tell a machine that drifted from functions that changed");
  } else if (std::abs(drift.ratio - 1) >= least_drift_to_tell) {
    remarks.push_back(fmt::format(
        "the functions have {:+.1f} % ± {:.1f} % in common, which may be the machine or the whole "
        "build: it counts as an error of every difference",
        (drift.ratio - 1) * 100, drift.error * 100));
  }
  const bool some_changed = std::ranges::any_of(
      comparison.functions(),
      [](const ComparedFunction& function) { return function.self.significant; });
  if (some_changed && !comparison.program().significant) {
    remarks.emplace_back(
        "functions changed, but the whole program's difference is noise: its error is larger than "
        "theirs, and changes may cancel out");
  }
  if (!comparison.totals_measured()) {
    remarks.emplace_back(
        "total times are gprof's estimate, not measured: stacks are not there for all runs of "
        "both sides");
  }
  return remarks;
}

std::string shown_name(const Comparison& comparison, const ComparedFunction& function) {
  const bool is_new = function.after != no_symbol;
  const Program& program = is_new ? comparison.program_after() : comparison.program_before();
  return shown_name(program.sources(), is_new ? function.after : function.before).signature;
}

std::optional<DefinitionLocation> definition_of(const Comparison& comparison,
                                                const ComparedFunction& function) {
  const bool is_new = function.after != no_symbol;
  const Program& program = is_new ? comparison.program_after() : comparison.program_before();
  const auto declared = program.sources().declaration(is_new ? function.after : function.before);
  if (!declared || declared->file == no_file || declared->line == 0) return std::nullopt;
  return DefinitionLocation{program.sources().path(declared->file), declared->line, is_new};
}

std::string_view shown_verdict(const ComparedFunction& function, ComparisonMetric metric) {
  if (metric != ComparisonMetric::calls) {
    return name_of(verdict_of(function, function.time(metric)));
  }
  if (function.before == no_symbol) return name_of(Verdict::appeared);
  if (function.after == no_symbol) return name_of(Verdict::gone);
  return name_of(function.calls.verdict);
}

}  // namespace gprof::lsp
