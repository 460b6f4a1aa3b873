#include "server/features/cost_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "server/features/difference_text.h"
#include "server/features/metric_values.h"
#include "server/features/wait_text.h"
#include "server/text/number_text.h"

namespace gprof::lsp {
namespace {

constexpr std::string_view separator = " · ";

std::string counted_text(const FunctionCost& function) {
  std::string text =
      fmt::format("{} call{}", short_count(function.calls), function.calls == 1 ? "" : "s");
  if (function.recursive_calls > 0) {
    text += fmt::format(" + {} recursive", short_count(function.recursive_calls));
  }
  return text;
}

// "0.42 s (33 %)", in the unit that the sentence's times share.
std::string share_with_time(const FunctionCosts& profile, Ticks ticks, const TimeUnit& unit,
                            std::string_view remark = {}) {
  if (ticks < 1) return time_text(profile, ticks);
  return fmt::format("{} ({}{})", time_text(profile, ticks, unit),
                     percent(share_of(profile, ticks)), remark);
}

// Without calls in front of them.
std::string times_alone(const FunctionCosts& profile, const ShownTimes& times, bool with_total) {
  const TimeUnit unit = unit_of(profile, {times.self, with_total ? times.total.value_or(0) : 0});
  std::string text =
      fmt::format("{}self {}", separator, share_with_time(profile, times.self, unit));
  if (!with_total || times.total.value_or(0) < 1) return text;
  const bool has_children = *times.total > times.self;
  text += fmt::format("{}total {}{}", separator, times.is_estimate() ? "≈" : "",
                      share_with_time(profile, *times.total, unit));
  if (has_children && times.measured) text += fmt::format(" {}", measured_word(profile));
  return text;
}

std::string times_text(const FunctionCosts& profile, const ShownTimes& times) {
  if (times.self < 1 && times.total.value_or(0) < 1) {
    return fmt::format("{}{}", separator, time_text(profile, times.self));
  }
  const TimeUnit unit = unit_of(profile, {times.self, times.total.value_or(0)});
  std::string text =
      fmt::format("{}self {}", separator, share_with_time(profile, times.self, unit));
  if (!times.total) return text;
  const bool has_children = *times.total > times.self;
  text += fmt::format(
      "{}total {}{}", separator, times.is_estimate() ? "≈" : "",
      share_with_time(profile, *times.total, unit,
                      has_children && times.measured ? fmt::format(", {}", measured_remark(profile))
                                                     : std::string()));
  return text;
}

}  // namespace

ShownTimes shown_times(const FunctionCost& function) {
  if (function.counting != CallCounting::only_inlined) {
    if (function.without_total) return {function.self, std::nullopt, false, false};
    return {function.self, function.total(), function.measured, function.lacks_libraries};
  }
  return {function.inlined_self, function.measured_inlined_total, true, false};
}

std::string calls_text(const FunctionCost& function) {
  switch (function.counting) {
    case CallCounting::counted:
      return counted_text(function);
    case CallCounting::never_called:
      return "never called";
    case CallCounting::uncounted_caller:
      // By its start-up code, which counts nothing.
      if (function.name == "main") return "called by the C library";
      return "calls not counted (caller built without -pg)";
    case CallCounting::not_instrumented:
      return "calls not counted (built without -pg)";
    case CallCounting::only_inlined:
      return fmt::format("inlined in {} place{}", function.inlined_calls,
                         function.inlined_calls == 1 ? "" : "s");
    case CallCounting::no_call_counts:
      return "no call counts in this profile";
    case CallCounting::unknown:
      break;
  }
  return "no calls counted";
}

bool has_calls_left_out(const LoadedProgram& program) {
  return program.view && program.view->selection.is_of_time();
}

bool is_uncounted(const LoadedProgram& program, const FunctionCost& function) {
  switch (function.counting) {
    case CallCounting::not_instrumented:
      return true;
    case CallCounting::uncounted_caller:
    case CallCounting::only_inlined:
    case CallCounting::no_call_counts:
    case CallCounting::unknown:
      return counts_no_calls(program);
    case CallCounting::counted:
    case CallCounting::never_called:
      break;
  }
  return false;
}

bool counts_no_calls(const LoadedProgram& program) {
  return !has_calls_left_out(program) && !program.snapshot->profile().has_arcs();
}

bool has_totals(const LoadedProgram& program) {
  return !counts_no_calls(program) || program.snapshot->measured().known();
}

std::string figures_text(const LoadedProgram& program, const FunctionCost& function) {
  const FunctionCosts& profile = program.snapshot->profile();
  const bool left_out = has_calls_left_out(program);
  const bool times =
      has_times(profile) && (left_out || function.counting != CallCounting::never_called);
  const bool uncounted = times && is_uncounted(program, function);
  std::string text;
  // What is left out is not told of as if it were missing, nor on each line that it is.
  if (!(left_out || uncounted) || function.counting == CallCounting::only_inlined) {
    text = calls_text(function);
  }
  if (times) {
    const ShownTimes shown = shown_times(function);
    const bool with_total = shown.total && has_totals(program);
    text += uncounted ? times_alone(profile, shown, with_total) : times_text(profile, shown);
    if (text.starts_with(separator)) text.erase(0, separator.size());
    if (function.rank != 0) {
      text += fmt::format("{}#{}{}", separator, function.rank, uncounted ? "" : " by self time");
    }
  }
  if (function.cycle != 0) text += fmt::format("{}cycle {}", separator, function.cycle);
  if (function.instances > 1) text += fmt::format("{}{} instances", separator, function.instances);
  const std::string derived = derived_text(program, function);
  if (!derived.empty()) text += fmt::format("{}{}", separator, derived);
  return text;
}

std::string lens_text(const FileView& view, const FunctionCost& function, double threshold) {
  std::string text = figures_text(view.program, function);
  const std::string waits = lens_waits_text(view.program, function.waits.get(), threshold);
  if (!waits.empty()) text += fmt::format("{}{}", separator, waits);
  const std::string difference = function_difference_text(view, function);
  if (!difference.empty()) text += fmt::format("{}{}", separator, difference);
  if (view.source_state == SourceState::stale) {
    text += fmt::format("{}source changed since the build", separator);
  } else if (changed_since_build(view, function)) {
    text += fmt::format("{}changed since the build", separator);
  }
  if (text.starts_with(separator)) text.erase(0, separator.size());
  // A stretch of time in which the program took no sample.
  return text.empty() ? "no samples" : text;
}

bool changed_since_build(const FileView& view, const FunctionCost& function) {
  if (view.source_state == SourceState::stale) return false;
  const LineNumber first = function.declaration.line;
  const LineNumber last = std::max(function.last_line, first);
  LineNumber expected = 0;
  for (LineNumber line = first; line <= last; ++line) {
    const auto now = view.text_line(line);
    if (!now || !view.is_current(*now)) return true;
    // A gap: lines were inserted.
    if (expected != 0 && *now != expected) return true;
    expected = *now + 1;
  }
  return false;
}

TimeUnit unit_of(const FunctionCosts& profile) {
  return time_unit(profile.ticks_per_second(), profile.dimension(),
                   profile.dimension_abbreviation());
}

TimeUnit spelled_unit_of(const FunctionCosts& profile) {
  // An imported profile may have a name of any length, and lines repeat it; that of a gmon file has
  // 15 characters, perf's context-switches one more.
  constexpr std::size_t longest = 24;
  TimeUnit unit = unit_of(profile);
  const std::string& name = profile.dimension();
  if (!unit.seconds && name.size() <= longest) unit.abbreviation = name;
  return unit;
}

std::string time_text(const FunctionCosts& profile, Ticks ticks) {
  const TimeUnit unit = unit_of(profile);
  if (ticks < 1 && !profile.has_exact_costs()) {
    return "< " + limit(profile.seconds(profile.errors().most_without_sample()), unit);
  }
  return amount(profile.seconds(ticks), profile.seconds(profile.error_of(ticks)), unit);
}

std::string time_text(const FunctionCosts& profile, Ticks ticks, const TimeUnit& unit) {
  if (ticks < 1 && !profile.has_exact_costs()) return time_text(profile, ticks);
  return amount(profile.seconds(ticks), profile.seconds(profile.error_of(ticks)), unit);
}

TimeUnit unit_of(const FunctionCosts& profile, std::initializer_list<Ticks> times) {
  std::vector<double> errors;
  for (const Ticks ticks : times) {
    // Less than a sample is shown as a limit.
    if (ticks >= 1) errors.push_back(profile.seconds(profile.error_of(ticks)));
  }
  return common_unit(unit_of(profile), errors);
}

std::string time_and_share(const FunctionCosts& profile, Ticks ticks, std::string_view remark) {
  if (ticks < 1) return time_text(profile, ticks);
  return fmt::format("{} ({}{})", time_text(profile, ticks), percent(share_of(profile, ticks)),
                     remark);
}

std::string time_with_error(const FunctionCosts& profile, Ticks ticks, Ticks error) {
  return time_with_error(profile, ticks, error, unit_of(profile));
}

std::string time_with_error(const FunctionCosts& profile, Ticks ticks, Ticks error,
                            const TimeUnit& unit) {
  const Seconds shown_error = profile.seconds(error);
  const std::string deviation = error_text(shown_error, unit);
  if (ticks < 1 || deviation.empty()) return share_with_time(profile, ticks, unit);
  return fmt::format("{} ± {} ({})", amount(profile.seconds(ticks), shown_error, unit), deviation,
                     percent(share_of(profile, ticks)));
}

std::string time_with_error(const FunctionCosts& profile, Ticks ticks) {
  return time_with_error(profile, ticks, profile.error_of(ticks));
}

std::string kernel_share_text(const FunctionCosts& profile, Ticks kernel, Ticks self) {
  constexpr double least_share = 0.01;
  constexpr double least_deviations = 2;  // a few ticks place all of them
  const double share = self > 0 ? kernel / self : 0;
  if (share < least_share) return {};
  if (kernel < least_deviations * profile.kernel().error_of(kernel)) return {};
  std::string text = ", of that in the kernel: " + percent(share);
  // percent() has a decimal below this.
  constexpr double whole_digits = 0.0995;
  const double error = profile.kernel().share_error(kernel, self);
  const double last_digit = share < whole_digits ? 0.001 : 0.01;
  if (error < last_digit / 2) return text;
  return text + (share < whole_digits ? fmt::format(" ± {:.1f} %", error * 100)
                                      : fmt::format(" ± {:.0f} %", error * 100));
}

std::string_view measured_word(const FunctionCosts& profile) {
  const bool counted = profile.has_exact_costs() && !profile.errors().by_clock();
  return counted ? "counted" : "measured";
}

std::string_view measured_remark(const FunctionCosts& profile) {
  return profile.has_exact_costs() ? measured_word(profile) : "from stacks";
}

std::optional<TimeBasis> basis_of(const Snapshot& snapshot) {
  if (!has_times(snapshot.profile())) return std::nullopt;
  return snapshot.measured().known() ? TimeBasis::measured : TimeBasis::estimated;
}

bool is_significant(const FunctionCosts& profile, Ticks ticks, Ticks error) {
  return ticks > 0 && (profile.has_exact_costs() || (ticks >= 1 && ticks >= error));
}

SampleScale sample_scale(const FunctionCosts& profile) {
  if (!has_times(profile) || profile.has_exact_costs()) return {};
  return {profile.seconds(1), profile.seconds(profile.errors().most_without_sample())};
}

double share_of(const FunctionCosts& profile, Ticks ticks) {
  return profile.program_ticks() > 0 ? ticks / profile.program_ticks() : 0;
}

bool has_times(const FunctionCosts& profile) {
  return profile.has_samples() && profile.program_ticks() > 0 && profile.ticks_per_second() > 0;
}

}  // namespace gprof::lsp
