#include "server/features/lens_selection.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "server/features/cost_text.h"
#include "server/features/difference_text.h"
#include "server/features/line_functions.h"
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

Ticks time_of_all(const std::vector<const FunctionCost*>& functions) {
  return std::max(self_of(functions), inlined_self_of(functions));
}

// What a compiler generates (a destructor) or a macro defines is on a line without its name. A
// lambda has no name, and needs none where it is the only function of the line.
bool needs_name(const FileView& view, const FunctionLens& lens) {
  if (!lens.is_alone) return true;
  if (lens.range.start != lens.range.end) return false;
  const FunctionCost& function = *lens.functions.front();
  return last_component(function.name).starts_with('~') ||
         view.costs->functions_declared_at(function.declaration.line).size() > 1;
}

// How many functions of a line have lenses of their own: `worth` are worth one. The others share
// the last lens if some of them are, or all are together.
struct LensCounts {
  std::size_t alone = 0;
  bool has_rest = false;
};
LensCounts lens_counts(std::size_t worth, bool rest_is_worth) {
  const bool has_rest = worth > max_lenses_on_a_line || rest_is_worth;
  return {std::min(worth, max_lenses_on_a_line - (has_rest ? 1 : 0)), has_rest};
}

std::vector<const FunctionCost*> functions_from(const std::vector<FunctionLens>& lenses,
                                                std::size_t first) {
  std::vector<const FunctionCost*> functions;
  for (std::size_t i = first; i < lenses.size(); ++i) {
    functions.push_back(lenses[i].functions.front());
  }
  return functions;
}

// The costliest first, those that are worth a lens before all others: returns how many are.
std::size_t order_by_worth(const FileView& view, std::vector<FunctionLens>& lenses,
                           double threshold) {
  std::stable_sort(lenses.begin(), lenses.end(), [](const FunctionLens& a, const FunctionLens& b) {
    return costs_more(*a.functions.front(), *b.functions.front());
  });
  const auto others =
      std::stable_partition(lenses.begin(), lenses.end(), [&](const FunctionLens& lens) {
        return is_worth_a_lens(view, *lens.functions.front(), threshold);
      });
  return static_cast<std::size_t>(others - lenses.begin());
}

void take_line(const FileView& view, LineOfFunctions line, double threshold,
               std::vector<FunctionLens>& lenses) {
  std::vector<FunctionLens>& all = line.functions;
  const std::size_t worth = order_by_worth(view, all, threshold);
  const auto others = functions_from(all, worth);
  const LensCounts counts = lens_counts(
      worth, others.size() > 1 && may_reach(view.profile(), time_of_all(others), threshold));
  FunctionLens rest = {all.front().range, functions_from(all, counts.alone), true};
  all.resize(counts.alone);
  // Beside each other they are read in the order of the text.
  std::stable_sort(all.begin(), all.end(), [](const FunctionLens& a, const FunctionLens& b) {
    return a.range.start < b.range.start;
  });
  if (counts.has_rest) {
    if (!all.empty()) rest.range = all.back().range;
    all.push_back(std::move(rest));
  }
  for (FunctionLens& lens : all) {
    lens.is_alone = all.size() == 1;
    lens.is_named = !lens.is_rest && needs_name(view, lens);
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
    return fmt::format(" · {}: {}", name_on_line(view, *function),
                       function_difference_text(view, *function));
  }
  return {};
}

std::string source_of_lens(const FileView& view, const FunctionLens& lens) {
  // The lenses beside it say so.
  if (!lens.is_alone) return {};
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
                                    bool is_rest, double threshold) {
  std::vector<FunctionLens> lenses;
  take_functions(view, view.costs->functions_declared_at(function.declaration.line), threshold,
                 lenses);
  for (FunctionLens& lens : lenses) {
    const auto& shown = lens.functions;
    if (std::find(shown.begin(), shown.end(), &function) == shown.end()) continue;
    if (lens.is_rest == is_rest) return std::move(lens);
    // Totals that were not known yet have changed which functions cost most.
    const auto range = name_range(view, function);
    if (lens.is_rest && range) return FunctionLens{*range, {&function}, false, false, true};
  }
  const auto rest = std::ranges::find_if(lenses, &FunctionLens::is_rest);
  return is_rest && rest != lenses.end() ? std::optional(std::move(*rest)) : std::nullopt;
}

std::string rest_text(const FileView& view, const FunctionLens& lens) {
  const FunctionCosts& profile = view.profile();
  const FunctionCost& first = *lens.functions.front();
  const std::string number = exact_count(lens.functions.size());
  std::string text =
      lens.is_alone ? fmt::format("{} functions", number) : fmt::format("+{} more", number);
  const bool has_time = has_times(profile) && shown_times(first).self >= 1;
  std::uint64_t calls = 0;
  for (const FunctionCost* function : lens.functions) calls += function->calls;
  if (!has_time && calls > 0) {
    text += fmt::format(" · {} call{}", short_count(calls), calls == 1 ? "" : "s");
  }
  if (has_times(profile)) text += times_of_lens(profile, lens);
  if (lens.is_alone && (has_time || calls > 0)) {
    text +=
        fmt::format(" · {}: {}", has_time ? "hottest" : "most called", name_on_line(view, first));
  }
  return text + difference_of_lens(view, lens) + source_of_lens(view, lens);
}

}  // namespace gprof::lsp
