#include "server/features/inlay_hint.h"

#include <fmt/format.h>

#include "server/features/cost_text.h"

namespace gprof::lsp {
namespace {

bool is_trusted_line(const FileView& view, LineNumber build_line) {
  const FunctionCost* function = view.costs->function_at(build_line);
  return function == nullptr ? !view.changed_since_build : view.is_trusted(*function);
}

}  // namespace

std::vector<InlayHint> inlay_hints(const FileView& view, const Range& range, double threshold) {
  std::vector<InlayHint> hints;
  for (const LineCost& cost : view.costs->lines) {
    const auto line = view.text_line(cost.line);
    if (!line || *line > view.text->line_count()) continue;
    if (*line - 1 < range.start.line || *line - 1 > range.end.line) continue;
    if (view.text->line_changed(*line) || !is_trusted_line(view, cost.line)) continue;
    const auto texts = line_texts(view, cost, threshold);
    if (texts.empty()) continue;
    InlayHint hint;
    hint.position = view.text->end_of_line(*line);
    hint.label = fmt::format("{}", fmt::join(texts, " · "));
    hint.padding_left = true;
    hints.push_back(std::move(hint));
  }
  return hints;
}

}  // namespace gprof::lsp
