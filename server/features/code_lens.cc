#include "server/features/code_lens.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "server/features/cost_text.h"
#include "server/features/lens_selection.h"
#include "server/features/line_functions.h"
#include "server/features/other_programs.h"

namespace gprof::lsp {
namespace {

std::string title(const FileView& view, const FunctionLens& lens, const OtherPrograms& others,
                  double threshold) {
  if (lens.is_rest) return rest_text(view, lens);
  const FunctionCost& function = *lens.functions.front();
  std::string text = lens_text(view, function, threshold);
  if (lens.is_named) text = fmt::format("{}: {}", name_on_line(view, function), text);
  const std::string also_in = also_in_text(others.uses_of(view, function));
  if (!also_in.empty()) text += " · " + also_in;
  return text;
}

// Of one function: its callers. Of the rest of a line: which functions these are.
Command command_of(const FileView& view, const FunctionLens& lens, const OtherPrograms& others,
                   double threshold) {
  AnyValue::Object place = {{"uri", AnyValue(view.uri)}, {"position", to_any(lens.range.start)}};
  // The position alone is ambiguous where several functions are defined: if a macro does it, none
  // of their names is in the source.
  const bool is_named = lens.range.start != lens.range.end;
  if (!lens.is_rest && !(is_named && lens.is_alone)) {
    place.emplace_back("function", AnyValue(lens.functions.front()->name));
  }
  Command command;
  command.title = title(view, lens, others, threshold);
  command.command = lens.is_rest ? show_functions_command : show_callers_command;
  command.arguments = {AnyValue(std::move(place))};
  return command;
}

// Only clients that resolve lenses know tooltips: both came with version 3.18.
std::string tooltip(const FileView& view, const FunctionLens& lens) {
  const std::string click =
      lens.is_rest ? std::string("Show the functions of this line")
                   : "Show the callers of " + short_name(view.name_of(*lens.functions.front()));
  return fmt::format("{}. Profile of {}{}.", click, program_title(view.program),
                     view.program.live ? ", running, live" : "");
}

AnyValue lens_data(const FileView& view, const FunctionLens& lens, std::uint64_t generation) {
  const FunctionCost& function = *lens.functions.front();
  return AnyValue(AnyValue::Object{
      {"uri", AnyValue(view.uri)},
      {"generation", AnyValue(static_cast<std::int64_t>(generation))},
      {"name", AnyValue(function.name)},
      {"line", AnyValue(function.declaration.line)},
      {"column", AnyValue(function.declaration.column)},
      {"rest", AnyValue(lens.is_rest)},
  });
}

const FunctionCost* function_of_data(const FileView& view, const AnyValue& data) {
  const AnyValue* name = data.find("name");
  const AnyValue* line = data.find("line");
  const AnyValue* column = data.find("column");
  if (name == nullptr || name->string() == nullptr || line == nullptr ||
      line->integer() == nullptr || column == nullptr || column->integer() == nullptr) {
    return nullptr;
  }
  const auto& functions = view.costs->functions;
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const FunctionCost& f) {
    return f.declaration.line == *line->integer() && f.declaration.column == *column->integer() &&
           f.name == *name->string();
  });
  return found == functions.end() ? nullptr : &*found;
}

bool is_of_rest(const AnyValue& data) {
  const AnyValue* rest = data.find("rest");
  return rest != nullptr && rest->boolean() != nullptr && *rest->boolean();
}

// Of a label in parts, what it reads like.
std::string label_text(const InlayHint& hint) {
  if (const auto* text = std::get_if<std::string>(&hint.label)) return *text;
  std::string text;
  for (const auto& part : *std::get_if<std::vector<InlayHintLabelPart>>(&hint.label)) {
    text += part.value;
  }
  return text;
}

}  // namespace

std::vector<CodeLens> code_lenses(std::span<const FileView> views, double threshold) {
  std::vector<CodeLens> lenses;
  if (views.empty()) return lenses;
  const FileView& view = views.front();
  const OtherPrograms others(views.subspan(1));
  for (const FunctionLens& lens : function_lenses(view, threshold)) {
    lenses.push_back({lens.range, command_of(view, lens, others, threshold), {}});
  }
  return lenses;
}

std::vector<FunctionSummary> function_summaries(std::span<const FileView> views,
                                                const std::optional<Range>& range,
                                                double threshold) {
  std::vector<FunctionSummary> summaries;
  if (views.empty()) return summaries;
  const FileView& view = views.front();
  const OtherPrograms others(views.subspan(1));
  for (const FunctionLens& lens : function_lenses(view, threshold)) {
    const std::uint32_t line = lens.range.start.line;
    if (range && (line < range->start.line || line > range->end.line)) continue;
    summaries.push_back({line, title(view, lens, others, threshold)});
  }
  std::stable_sort(
      summaries.begin(), summaries.end(),
      [](const FunctionSummary& a, const FunctionSummary& b) { return a.line < b.line; });
  return summaries;
}

void add_lens_hints(std::vector<InlayHint>& hints, std::span<const FileView> views,
                    const Range& range, double threshold) {
  std::vector<InlayHint> more;
  for (FunctionSummary& summary : function_summaries(views, range, threshold)) {
    const Position end = views.front().text->end_of_line(summary.line + 1);
    const auto same_place = std::ranges::lower_bound(hints, end, {}, &InlayHint::position);
    if (same_place != hints.end() && same_place->position == end) {
      // Editors disagree on the order of two hints of one place. Together they have nothing to
      // resolve.
      same_place->label = label_text(*same_place) + " · " + summary.text;
      same_place->data.reset();
      continue;
    }
    if (!more.empty() && more.back().position == end) {
      more.back().label = label_text(more.back()) + " · " + summary.text;
      continue;
    }
    InlayHint hint;
    hint.position = end;
    hint.padding_left = true;
    hint.label = std::move(summary.text);
    more.push_back(std::move(hint));
  }
  hints.insert(hints.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

std::vector<CodeLens> resolvable_code_lenses(std::span<const FileView> views, double threshold,
                                             std::uint64_t generation, std::size_t most_complete) {
  std::vector<CodeLens> lenses;
  if (views.empty()) return lenses;
  const FileView& view = views.front();
  const std::vector<FunctionLens> all = function_lenses(view, threshold);
  const OtherPrograms others(views.subspan(1));
  for (const FunctionLens& lens : all) {
    if (all.size() <= most_complete) {
      lenses.push_back({lens.range, command_of(view, lens, others, threshold), {}});
      lenses.back().command->tooltip = tooltip(view, lens);
    } else {
      lenses.push_back({lens.range, {}, lens_data(view, lens, generation)});
    }
  }
  return lenses;
}

std::optional<CodeLens> resolve_code_lens(std::span<const FileView> views, const CodeLens& lens,
                                          double threshold) {
  if (views.empty() || !lens.data) return std::nullopt;
  const FileView& view = views.front();
  const FunctionCost* function = function_of_data(view, *lens.data);
  if (function == nullptr) return std::nullopt;
  const auto shown = lens_of(view, *function, is_of_rest(*lens.data), threshold);
  if (!shown) return std::nullopt;
  CodeLens resolved = lens;
  resolved.command = command_of(view, *shown, OtherPrograms(views.subspan(1)), threshold);
  resolved.command->tooltip = tooltip(view, *shown);
  return resolved;
}

}  // namespace gprof::lsp
