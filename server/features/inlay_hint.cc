#include "server/features/inlay_hint.h"

#include <algorithm>

#include <fmt/format.h>

#include "server/features/code_lens.h"
#include "server/features/cost_text.h"
#include "server/features/difference_text.h"
#include "server/features/line_details.h"
#include "server/features/metric_values.h"
#include "server/features/wait_text.h"

namespace gprof::lsp {
namespace {

using LabelParts = std::vector<InlayHintLabelPart>;

bool wants(const HintOptions& options, std::string_view member) {
  return std::find(options.resolved_later.begin(), options.resolved_later.end(), member) !=
         options.resolved_later.end();
}

bool wants_parts(const HintOptions& options) {
  return wants(options, "label.location") || wants(options, "label.command");
}

std::string joined(const std::vector<LinePartText>& texts) {
  std::string label;
  for (const LinePartText& text : texts) {
    if (!label.empty()) label += " · ";
    label += text.text;
  }
  return label;
}

// Together they read like the plain label; the calls are a separate, clickable part.
LabelParts label_parts(const std::vector<LinePartText>& texts) {
  LabelParts parts;
  std::string pending;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) pending += " · ";
    if (texts[i].part != LinePart::calls) {
      pending += texts[i].text;
      continue;
    }
    if (!pending.empty()) parts.push_back({std::move(pending), {}, {}, {}});
    pending.clear();
    parts.push_back({texts[i].text, {}, {}, {}});
  }
  if (!pending.empty()) parts.push_back({std::move(pending), {}, {}, {}});
  return parts;
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
  if (cost.calls.empty()) return {};
  const LineCall& first = cost.calls.front();
  std::string text = fmt::format("→ {}", short_name(view.name_of(first.callee)));
  if (first.count > 0) {
    text += fmt::format(" {}{}×", first.approximate() ? "≈" : "", short_count(first.count));
  }
  if (first.candidate_lines.size() > 1) {
    text += fmt::format(" (lines {})", called_lines(view, first));
  }
  if (cost.calls.size() > 1) text += fmt::format(" +{}", cost.calls.size() - 1);
  return text;
}

LineTextOptions hint_texts_of(LineTextOptions texts, const FileView& view) {
  texts.derived = view.program.view && view.program.view->derived;
  texts.waits = tells_waits(view.program);
  return texts;
}

// Writes the hints of one view's lines.
class HintTexts {
 public:
  HintTexts(const FileView& view, const HintOptions& options)
      : view_(view),
        meter_(view),
        differences_(view),
        texts_(time_scale(view.profile()), hint_texts_of(options.texts, view)),
        metric_(options.texts.metric),
        threshold_(options.texts.threshold),
        derived_(view) {}

  [[nodiscard]] std::vector<LinePartText> of(const LineCost& cost) {
    LineFigures line{meter_.figures(cost),
                     {},
                     derived_.text_of(cost.line),
                     line_waits_text(view_.program, cost, metric_, threshold_)};
    if (const LineDifference* difference = differences_.of(cost.line)) {
      line.difference =
          line_difference_text(view_, *difference, texts_.is_with_calls(line.metrics));
    }
    return texts_.hint(line, call_text(view_, cost));
  }

 private:
  const FileView& view_;
  LineMeter meter_;
  const LineDifferences differences_;
  const LineTexts texts_;
  const ShownMetric metric_;
  const double threshold_;
  DerivedLineTexts derived_;
};

std::optional<InlayHint> hint_of(const FileView& view, const LineCost& cost, LineNumber text_line,
                                 const HintOptions& options, HintTexts& texts) {
  const auto parts = texts.of(cost);
  if (parts.empty()) return std::nullopt;
  InlayHint hint;
  hint.position = view.text->end_of_line(text_line);
  hint.padding_left = true;
  if (wants_parts(options)) {
    hint.label = label_parts(parts);
  } else {
    hint.label = joined(parts);
  }
  if (wants_parts(options) || wants(options, "tooltip")) {
    hint.data = AnyValue(
        AnyValue::Object{{"uri", AnyValue(view.uri)},
                         {"line", AnyValue(cost.line)},
                         {"generation", AnyValue(static_cast<std::int64_t>(options.generation))}});
  }
  return hint;
}

bool same_label(const InlayHint& a, const InlayHint& b) {
  if (a.label.index() != b.label.index()) return false;
  if (const auto* text = std::get_if<std::string>(&a.label)) {
    return *text == *std::get_if<std::string>(&b.label);
  }
  return std::equal(
      std::get_if<LabelParts>(&a.label)->begin(), std::get_if<LabelParts>(&a.label)->end(),
      std::get_if<LabelParts>(&b.label)->begin(), std::get_if<LabelParts>(&b.label)->end(),
      [](const auto& x, const auto& y) { return x.value == y.value; });
}

MarkupContent tooltip_of(const FileView& view, const LineCost& cost, MarkupKind kind) {
  MarkupWriter out(kind);
  write_line_details(out, view, cost);
  out.footnote(
      "× times executed or called · → calls made from this line · ± one standard deviation · "
      "≈ an estimate, or calls of several lines that the profile cannot tell apart");
  return {kind, out.take()};
}

std::optional<Location> definition_of(const FileView& view, SymbolIndex symbol,
                                      const OpenView& open_view) {
  const auto found = function_of_symbol(view.sources(), symbol, open_view);
  if (!found) return std::nullopt;
  const auto range = name_range(found->view, *found->function);
  if (!range) return std::nullopt;
  return Location{found->view.uri, *range};
}

// For the function around the line: it has no name at the start of the line, where another function
// might be meant.
Command show_callees(const FileView& view, LineNumber text_line) {
  Command command;
  command.title = "Show callees";
  command.command = show_callees_command;
  command.arguments = {AnyValue(AnyValue::Object{
      {"uri", AnyValue(view.uri)}, {"position", to_any(Position{text_line - 1, 0})}})};
  return command;
}

}  // namespace

std::vector<InlayHint> inlay_hints(const FileView& view, const Range& range,
                                   const HintOptions& options) {
  std::vector<InlayHint> hints;
  if (range.start.line >= view.text->line_count()) return hints;
  const LineNumber first = range.start.line + 1;
  const LineNumber last = std::min(range.end.line, view.text->line_count() - 1) + 1;
  HintTexts texts(view, options);
  const auto& lines = view.costs->lines;
  auto cost = lines.begin();
  for (LineNumber line = first; line <= last && !lines.empty(); ++line) {
    const auto build_line = view.build_line(line);
    if (!build_line) continue;
    cost = std::lower_bound(cost, lines.end(), *build_line,
                            [](const LineCost& c, LineNumber number) { return c.line < number; });
    if (cost == lines.end()) break;
    if (cost->line != *build_line || !view.is_current(line)) continue;
    if (auto hint = hint_of(view, *cost, line, options, texts)) hints.push_back(std::move(*hint));
  }
  return hints;
}

std::optional<InlayHint> resolve_inlay_hint(const FileView& view, const InlayHint& hint,
                                            const HintOptions& options, const OpenView& open_view) {
  const AnyValue* number = hint.data ? hint.data->find("line") : nullptr;
  if (number == nullptr || number->integer() == nullptr) return std::nullopt;
  const std::int64_t build_line = *number->integer();
  if (build_line < 1 || build_line > UINT32_MAX) return std::nullopt;
  const LineCost* cost = view.costs->line(static_cast<LineNumber>(build_line));
  const auto line = view.text_line(static_cast<LineNumber>(build_line));
  if (cost == nullptr || !line || !view.is_current(*line)) return std::nullopt;
  HintTexts texts(view, options);
  const auto now = hint_of(view, *cost, *line, options, texts);
  if (!now || !same_label(*now, hint)) return std::nullopt;

  InlayHint resolved = hint;
  if (wants(options, "tooltip")) {
    resolved.tooltip = tooltip_of(view, *cost, options.tooltip_kind);
  }
  auto* parts = std::get_if<LabelParts>(&resolved.label);
  if (parts == nullptr || cost->calls.empty()) return resolved;
  const std::string calls = call_text(view, *cost);
  for (InlayHintLabelPart& part : *parts) {
    if (part.value != calls) continue;
    if (wants(options, "label.location")) {
      part.location = definition_of(view, cost->calls.front().callee, open_view);
    }
    if (wants(options, "label.command")) part.command = show_callees(view, *line);
  }
  return resolved;
}

}  // namespace gprof::lsp
