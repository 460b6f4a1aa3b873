#include "server/features/cost_text.h"

#include <fmt/format.h>

#include "server/features/number_text.h"

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

std::string lens_text(const FileView& view, const FunctionCost& function) {
  const Profile& profile = view.profile();
  std::string text = calls_text(function);
  if (has_times(profile) && function.counting != CallCounting::never_called) {
    const bool inlined = function.counting == CallCounting::only_inlined;
    const Ticks self = inlined ? function.inlined_self : function.self;
    text += fmt::format("{}self {} ({})", separator, time_text(profile, self),
                        percent(share_of(profile, self)));
    if (!inlined) {
      text += fmt::format("{}total {} ({})", separator, time_text(profile, function.total()),
                          percent(share_of(profile, function.total())));
    }
    if (function.rank != 0) text += fmt::format("{}#{}", separator, function.rank);
  }
  if (function.cycle != 0) text += fmt::format("{}cycle {}", separator, function.cycle);
  if (function.instances > 1) text += fmt::format("{}{} instances", separator, function.instances);
  if (view.changed_since_build) text += fmt::format("{}source changed since the build", separator);
  return text;
}

std::vector<std::string> line_texts(const FileView& view, const LineCost& cost, double threshold) {
  std::vector<std::string> texts;
  if (cost.executions) texts.push_back(short_count(*cost.executions) + "×");
  const double share = share_of(view.profile(), cost.self);
  if (cost.self > 0 && share >= threshold) {
    texts.push_back(fmt::format("{} {}", time_text(view.profile(), cost.self), percent(share)));
  }
  if (!cost.calls.empty()) texts.push_back(call_text(view, cost));
  return texts;
}

std::string time_text(const Profile& profile, Ticks ticks) {
  return amount(profile.seconds(ticks), profile.ticks_per_second(),
                profile.dimension_abbreviation());
}

double share_of(const Profile& profile, Ticks ticks) {
  return profile.program_ticks() > 0 ? ticks / profile.program_ticks() : 0;
}

bool has_times(const Profile& profile) {
  return profile.has_samples() && profile.program_ticks() > 0 && profile.ticks_per_second() > 0;
}

}  // namespace gprof::lsp
