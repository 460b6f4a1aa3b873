#include "server/features/lens_selection.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "server/features/cost_text.h"
#include "server/features/difference_text.h"
#include "server/features/wait_text.h"
#include "server/text/number_text.h"

namespace gprof::lsp {
namespace {

using FunctionSpan = std::span<const FunctionCost>;

// A lambda that was inlined and took no time gets no lens above the line that it shares with the
// call it is passed to.
bool is_silent_lambda(const FunctionCost& function) {
  return function.counting == CallCounting::only_inlined && function.inlined_self <= 0 &&
         function.name.find("{lambda") != std::string::npos;
}

bool has_run(const FunctionCost& function) {
  const ShownTimes times = shown_times(function);
  return function.calls > 0 || function.recursive_calls > 0 || times.self > 0 ||
         times.total.value_or(0) > 0 || function.counting == CallCounting::uncounted_caller;
}

// Whether a time of the profile is, or may be, of that share.
bool may_reach(const FunctionCosts& profile, Ticks ticks, double threshold) {
  if (!has_times(profile)) return true;
  if (share_of(profile, ticks) >= threshold) return true;
  // In a short run any function may have taken as much without a sample.
  return !profile.has_exact_costs() &&
         share_of(profile, profile.errors().most_without_sample()) >= threshold;
}

bool is_worth_a_lens(const FileView& view, const FunctionCost& function, double threshold) {
  if (threshold <= 0 || differs_from_base(view, function)) return true;
  if (is_worth_telling(view.program, function.waits.get(), threshold)) return true;
  const ShownTimes times = shown_times(function);
  return may_reach(view.profile(), std::max(times.self, times.total.value_or(0)), threshold);
}

// Whether it ran may only be known with its total.
bool is_known_to_run(const FunctionCost& function) {
  return function.counting == CallCounting::counted || function.self > 0 ||
         function.inlined_self > 0;
}

bool has_something_to_say(const FileView& view, const FunctionCost& function, double threshold) {
  if (is_worth_telling(view.program, function.waits.get(), threshold)) return true;
  if (is_silent_lambda(function)) return false;
  if (function.without_total && !is_known_to_run(function)) return false;
  return threshold <= 0 || has_run(function) || differs_from_base(view, function);
}

bool has_more_time(const FunctionCost* a, const FunctionCost* b) {
  const Ticks self_a = shown_times(*a).self;
  const Ticks self_b = shown_times(*b).self;
  if (self_a != self_b) return self_a > self_b;
  return a->calls > b->calls;
}

// All functions whose names stand on one line of the text.
struct LineOfFunctions {
  std::uint32_t line = 0;
  std::vector<FunctionLens> functions;  // each alone
};

void add_to_line(std::vector<LineOfFunctions>& lines, const FunctionCost& function,
                 const Range& range) {
  auto line = std::find_if(lines.begin(), lines.end(), [&](const LineOfFunctions& known) {
    return known.line == range.start.line;
  });
  if (line == lines.end()) line = lines.insert(lines.end(), {range.start.line, {}});
  line->functions.push_back({range, {&function}});
}

FunctionLens lens_shared_by(const std::vector<FunctionLens>& alone) {
  FunctionLens lens;
  for (const FunctionLens& one : alone) lens.functions.push_back(one.functions.front());
  std::stable_sort(lens.functions.begin(), lens.functions.end(), has_more_time);
  const auto first = std::find_if(alone.begin(), alone.end(), [&](const FunctionLens& one) {
    return one.functions.front() == lens.functions.front();
  });
  lens.range = first->range;
  return lens;
}

Ticks self_of(const std::vector<const FunctionCost*>& functions) {
  Ticks self = 0;
  for (const FunctionCost* function : functions) {
    if (function->counting != CallCounting::only_inlined) self += function->self;
  }
  return self;
}

// Of those that were inlined everywhere: a part of the self time of the functions around them,
// which may be others of the line.
Ticks inlined_self_of(const std::vector<const FunctionCost*>& functions) {
  Ticks self = 0;
  for (const FunctionCost* function : functions) {
    if (function->counting == CallCounting::only_inlined) self += function->inlined_self;
  }
  return self;
}

void take_line(const FileView& view, LineOfFunctions line, double threshold,
               std::vector<FunctionLens>& lenses) {
  const auto is_worth = [&](const FunctionLens& lens) {
    return is_worth_a_lens(view, *lens.functions.front(), threshold);
  };
  if (line.functions.size() <= most_lenses_on_a_line) {
    std::copy_if(line.functions.begin(), line.functions.end(), std::back_inserter(lenses),
                 is_worth);
    return;
  }
  FunctionLens lens = lens_shared_by(line.functions);
  // Together they may be, if none is alone.
  const Ticks time = std::max(self_of(lens.functions), inlined_self_of(lens.functions));
  if (may_reach(view.profile(), time, threshold) ||
      std::any_of(line.functions.begin(), line.functions.end(), is_worth)) {
    lenses.push_back(std::move(lens));
  }
}

// `functions` are those declared on one line of the build, which the text may have on several.
void take_functions(const FileView& view, FunctionSpan functions, double threshold,
                    std::vector<FunctionLens>& lenses) {
  std::vector<LineOfFunctions> lines;
  for (const FunctionCost& function : functions) {
    if (!has_something_to_say(view, function, threshold)) continue;
    if (const auto range = name_range(view, function)) add_to_line(lines, function, *range);
  }
  for (LineOfFunctions& line : lines) take_line(view, std::move(line), threshold, lenses);
}

// The first functions of `functions` that are declared on the same line.
FunctionSpan on_first_line(FunctionSpan functions) {
  const LineNumber line = functions.front().declaration.line;
  const auto end = std::find_if(functions.begin(), functions.end(),
                                [&](const FunctionCost& f) { return f.declaration.line != line; });
  return functions.first(static_cast<std::size_t>(end - functions.begin()));
}

std::string times_of_lens(const FunctionCosts& profile, const FunctionLens& lens) {
  const Ticks self = self_of(lens.functions);
  const Ticks inlined = inlined_self_of(lens.functions);
  std::string text;
  if (self >= 1 || inlined < 1) text += fmt::format(" · self {}", time_and_share(profile, self));
  if (inlined >= 1) {
    text += fmt::format(" · {} {}", self >= 1 ? "inlined copies" : "self",
                        time_and_share(profile, inlined));
  }
  return text;
}

// The largest difference among those that share the lens.
std::string difference_of_lens(const FileView& view, const FunctionLens& lens) {
  for (const FunctionCost* function : lens.functions) {
    if (!differs_from_base(view, *function)) continue;
    return fmt::format(" · {}: {}", short_name(function->name),
                       function_difference_text(view, *function));
  }
  return {};
}

std::string source_of_lens(const FileView& view, const FunctionLens& lens) {
  if (view.source_state == SourceState::stale) return " · source changed since the build";
  const bool changed = std::any_of(
      lens.functions.begin(), lens.functions.end(),
      [&](const FunctionCost* function) { return changed_since_build(view, *function); });
  return changed ? " · changed since the build" : "";
}

}  // namespace

std::vector<FunctionLens> function_lenses(const FileView& view, double threshold) {
  std::vector<FunctionLens> lenses;
  FunctionSpan rest = view.costs->functions;
  while (!rest.empty()) {
    const FunctionSpan line = on_first_line(rest);
    take_functions(view, line, threshold, lenses);
    rest = rest.subspan(line.size());
  }
  return lenses;
}

std::optional<FunctionLens> lens_of(const FileView& view, const FunctionCost& function,
                                    double threshold) {
  const FunctionSpan line = view.costs->functions_declared_at(function.declaration.line);
  std::vector<FunctionLens> lenses;
  take_functions(view, line, threshold, lenses);
  for (FunctionLens& lens : lenses) {
    const auto& shown = lens.functions;
    if (std::find(shown.begin(), shown.end(), &function) != shown.end()) return std::move(lens);
  }
  return std::nullopt;
}

std::string shared_lens_text(const FileView& view, const FunctionLens& lens) {
  const FunctionCosts& profile = view.profile();
  const FunctionCost& first = *lens.functions.front();
  std::string text = fmt::format("{} functions", exact_count(lens.functions.size()));
  const bool has_time = has_times(profile) && shown_times(first).self >= 1;
  std::uint64_t calls = 0;
  for (const FunctionCost* function : lens.functions) calls += function->calls;
  if (!has_time && calls > 0) {
    text += fmt::format(" · {} call{}", short_count(calls), calls == 1 ? "" : "s");
  }
  if (has_times(profile)) text += times_of_lens(profile, lens);
  if (has_time || calls > 0) {
    text += fmt::format(" · {}: {}", has_time ? "hottest" : "most called", short_name(first.name));
  }
  return text + difference_of_lens(view, lens) + source_of_lens(view, lens);
}

}  // namespace gprof::lsp
