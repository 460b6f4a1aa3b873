#include "server/cli/diff/diff_result.h"

#include <algorithm>

namespace gprof::lsp {
namespace {

double percent_of(double part, double whole) { return whole > 0 ? part / whole * 100 : 0; }

double calls_before(const Comparison& comparison) {
  double calls = 0;
  for (const ComparedFunction& function : comparison.functions()) {
    calls += function.calls.before.mean;
  }
  return calls;
}

std::optional<double> regression_percent(const DiffResult& result, const ComparedFunction& function,
                                         double all_calls) {
  if (result.options.metric == ComparisonMetric::calls) {
    if (function.calls.verdict != CallsVerdict::more) return std::nullopt;
    return percent_of(function.calls.difference(), all_calls);
  }
  const TimeChange& time = function.time(result.options.metric);
  if (verdict_of(function, time) != Verdict::regressed) return std::nullopt;
  return percent_of(time.difference(), result.comparison.program().before);
}

}  // namespace

std::vector<GateFailure> gate_failures(const DiffResult& result) {
  std::vector<GateFailure> failures;
  if (!result.options.fail_over) return failures;
  const double limit = *result.options.fail_over;
  const bool by_calls = result.options.metric == ComparisonMetric::calls;
  const TimeChange& program = result.comparison.program();
  if (!by_calls && program.significant && program.difference() > 0) {
    const double percent = percent_of(program.difference(), program.before);
    if (percent > limit) failures.push_back({nullptr, percent});
  }
  const double all_calls = by_calls ? calls_before(result.comparison) : 0;
  for (const std::size_t index : result.comparison.ranked(result.options.metric)) {
    const ComparedFunction& function = result.comparison.functions()[index];
    const auto percent = regression_percent(result, function, all_calls);
    if (percent && *percent > limit) failures.push_back({&function, *percent});
  }
  return failures;
}

int exit_status(const DiffResult& result) {
  constexpr int regression_status = 1;
  return gate_failures(result).empty() ? 0 : regression_status;
}

}  // namespace gprof::lsp
