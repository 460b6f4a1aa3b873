#include "server/features/function_lines.h"

#include <algorithm>

#include "server/features/cost_text.h"
#include "server/features/line_metrics.h"

namespace gprof::lsp {

FunctionLines lines_of(const FileView& view, const FunctionCost& function) {
  FunctionLines found;
  if (!has_times(view.profile())) return found;
  LineMeter meter(view);
  for (const LineCost& cost : view.costs->lines) {
    if (cost.line < function.declaration.line || cost.line > function.last_line) continue;
    if (!cost.measured_total || view.costs->function_at(cost.line) != &function) continue;
    const Ticks total = meter.total_ticks(cost);
    if (!(total > 0)) continue;
    found.lines.push_back({cost.line, total});
    found.sum += total;
  }
  std::stable_sort(found.lines.begin(), found.lines.end(),
                   [](const LineTotal& a, const LineTotal& b) { return a.total > b.total; });
  return found;
}

}  // namespace gprof::lsp
