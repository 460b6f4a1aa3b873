#include "server/features/cost_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "server/features/difference_text.h"
#include "server/text/number_text.h"

namespace gprof::lsp {
namespace {

constexpr std::string_view separator = " · ";

std::string counted_text(const FunctionCost& function) {
  if (function.recursive_calls > 0) {
    return fmt::format("{}+{} calls", short_count(function.calls),
                       short_count(function.recursive_calls));
  }
  return fmt::format("{} call{}", short_count(function.calls), function.calls == 1 ? "" : "s");
}

std::string called_lines(const FileView& view, const LineCall& call) {
  std::string lines;
  for (const LineNumber line : call.candidate_lines) {
    if (!lines.empty()) lines += ", ";
    lines += fmt::format("{}", view.text_line(line).value_or(line));
  }
  return lines;
}

std::string call_text(const FileView& view, const LineCost& cost) {
  const LineCall& first = cost.calls.front();
  std::string text = fmt::format("→ {} {}{}×", short_name(view.name_of(first.callee)),
                                 first.approximate() ? "≈" : "", short_count(first.count));
  if (first.candidate_lines.size() > 1) {
    text += fmt::format(" (lines {})", called_lines(view, first));
  }
  if (cost.calls.size() > 1) text += fmt::format(" +{}", cost.calls.size() - 1);
  return text;
}

// `function` is null if its total is meaningless.
std::string times_text(const Profile& profile, Ticks self, const FunctionCost* function) {
  if (self < 1 && (function == nullptr || function->total() < 1)) {
    return fmt::format("{}{}", separator, time_text(profile, self));
  }
  std::string text = fmt::format("{}self {}", separator, time_and_share(profile, self));
  if (function == nullptr) return text;
  const bool estimated = function->children > 0 && !function->measured;
  const bool measured = function->children > 0 && function->measured;
  text += fmt::format("{}total {}{}{}", separator, estimated ? "≈" : "",
                      time_and_share(profile, function->total()), measured ? " measured" : "");
  return text;
}

}  // namespace

std::string calls_text(const FunctionCost& function) {
  switch (function.counting) {
    case CallCounting::counted:
      return counted_text(function);
    case CallCounting::never_called:
      return "never called";
    case CallCounting::uncounted_caller:
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

std::string figures_text(const Profile& profile, const FunctionCost& function) {
  std::string text = calls_text(function);
  if (has_times(profile) && function.counting != CallCounting::never_called) {
    const bool inlined = function.counting == CallCounting::only_inlined;
    const Ticks self = inlined ? function.inlined_self : function.self;
    text += times_text(profile, self, inlined ? nullptr : &function);
    if (function.rank != 0) text += fmt::format("{}#{}", separator, function.rank);
  }
  if (function.cycle != 0) text += fmt::format("{}cycle {}", separator, function.cycle);
  if (function.instances > 1) text += fmt::format("{}{} instances", separator, function.instances);
  return text;
}

std::string lens_text(const FileView& view, const FunctionCost& function) {
  std::string text = figures_text(view.profile(), function);
  const std::string difference = function_difference_text(view, function);
  if (!difference.empty()) text += fmt::format("{}{}", separator, difference);
  if (view.source_state == SourceState::stale) {
    text += fmt::format("{}source changed since the build", separator);
  } else if (changed_since_build(view, function)) {
    text += fmt::format("{}changed since the build", separator);
  }
  return text;
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

std::vector<LineText> line_texts(const FileView& view, const LineCost& cost, Metric metric,
                                 double threshold, LineMeter& meter,
                                 const LineDifferences& differences) {
  const Profile& profile = view.profile();
  std::vector<LineText> texts;
  auto add_time = [&](LineFigure figure, Ticks ticks, bool estimated) {
    const double share = share_of(profile, ticks);
    if (!(ticks > 0) || share < threshold) return;
    std::string time = time_text(profile, ticks);
    if (estimated) time = estimated_text(std::move(time));
    texts.push_back({figure, fmt::format("{} {}", time, percent(share))});
  };
  // If the line's calls cost nothing, its total is its self time, not an estimate.
  const Ticks total = metric == Metric::total ? meter.total_ticks(cost) : 0;
  const Ticks self = meter.self_ticks(cost);
  const bool has_total = total > self;
  if (has_total) add_time(LineFigure::total, total, !cost.measured_total);
  if (cost.executions)
    texts.push_back({LineFigure::executions, short_count(*cost.executions) + "×"});
  add_time(LineFigure::self, self, false);
  if (const LineDifference* line = differences.of(cost.line)) {
    std::string difference = line_difference_text(view, *line);
    if (!difference.empty()) texts.push_back({LineFigure::difference, std::move(difference)});
  }
  if (!cost.calls.empty()) texts.push_back({LineFigure::calls, call_text(view, cost)});

  const LineFigure first = metric == Metric::calls        ? LineFigure::calls
                           : metric == Metric::executions ? LineFigure::executions
                           : has_total                    ? LineFigure::total
                                                          : LineFigure::self;
  const auto leading = std::find_if(texts.begin(), texts.end(),
                                    [&](const LineText& text) { return text.figure == first; });
  if (leading != texts.end()) std::rotate(texts.begin(), leading, leading + 1);
  return texts;
}

TimeUnit unit_of(const Profile& profile) {
  // Any byte of a file.
  const char letter = profile.dimension_abbreviation();
  const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  return {profile.ticks_per_second(), is_letter ? letter : '?', profile.dimension() == "seconds"};
}

std::string time_text(const Profile& profile, Ticks ticks) {
  const TimeUnit unit = unit_of(profile);
  if (ticks < 1 && !profile.has_exact_costs()) {
    return "< " + limit(profile.seconds(profile.errors().most_without_sample()), unit);
  }
  return amount(profile.seconds(ticks), profile.seconds(profile.error_of(ticks)), unit);
}

std::string time_and_share(const Profile& profile, Ticks ticks) {
  if (ticks < 1) return time_text(profile, ticks);
  return fmt::format("{} ({})", time_text(profile, ticks), percent(share_of(profile, ticks)));
}

std::string time_with_error(const Profile& profile, Ticks ticks, Ticks error) {
  if (ticks < 1 || !(error > 0)) return time_and_share(profile, ticks);
  const TimeUnit unit = unit_of(profile);
  const Seconds shown_error = profile.seconds(error);
  const std::string deviation = amount(shown_error, shown_error, unit);
  // Less than the last digit shown.
  if (deviation == amount(0, shown_error, unit)) return time_and_share(profile, ticks);
  return fmt::format("{} ± {} ({})", amount(profile.seconds(ticks), shown_error, unit), deviation,
                     percent(share_of(profile, ticks)));
}

std::string time_with_error(const Profile& profile, Ticks ticks) {
  return time_with_error(profile, ticks, profile.error_of(ticks));
}

std::optional<TimeBasis> basis_of(const Snapshot& snapshot) {
  if (!has_times(snapshot.profile())) return std::nullopt;
  return snapshot.measured().known() ? TimeBasis::measured : TimeBasis::estimated;
}

bool is_significant(const Profile& profile, Ticks ticks, Ticks error) {
  return ticks > 0 && (profile.has_exact_costs() || (ticks >= 1 && ticks >= error));
}

SampleScale sample_scale(const Profile& profile) {
  if (!has_times(profile) || profile.has_exact_costs()) return {};
  return {profile.seconds(1), profile.seconds(profile.errors().most_without_sample())};
}

double share_of(const Profile& profile, Ticks ticks) {
  return profile.program_ticks() > 0 ? ticks / profile.program_ticks() : 0;
}

bool has_times(const Profile& profile) {
  return profile.has_samples() && profile.program_ticks() > 0 && profile.ticks_per_second() > 0;
}

}  // namespace gprof::lsp
