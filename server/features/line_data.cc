#include "server/features/line_data.h"

#include <algorithm>

#include "server/features/cost_text.h"
#include "server/features/difference_text.h"
#include "server/features/wait_text.h"

namespace gprof::lsp {
namespace {

// Limits on the lines of one answer and the callees of one line: clients that need more request
// ranges.
constexpr std::size_t most_lines = 100'000;
constexpr std::size_t most_callees = 100;

LineTextOptions texts_of(LineTextOptions texts, const FileView& view) {
  texts.compared = view.base != nullptr;
  texts.derived = view.program.view && view.program.view->derived;
  texts.waits = tells_waits(view.program);
  return texts;
}

// Without times if no line of the file shows one: their columns would be blank, and move its counts
// away from the code. All lines decide, not those of the request, so that columns stay in place.
TimeScale scale_of(const FileView& view, const LineTextOptions& options) {
  TimeScale scale = time_scale(view.profile());
  const LineTexts texts(scale, options);
  LineMeter meter(view);
  scale.has_times =
      scale.has_times && std::ranges::any_of(view.costs->lines, [&](const LineCost& cost) {
        return texts.has_time(meter.figures(cost));
      });
  return scale;
}

class LineDataMaker {
 public:
  LineDataMaker(const FileView& view, const LineDataQuery& query, FunctionLocations& locations)
      : view_(view),
        metric_(query.texts.metric),
        threshold_(query.texts.threshold),
        locations_(locations),
        meter_(view),
        differences_(view),
        texts_(scale_of(view, query.texts), texts_of(query.texts, view)),
        derived_(view) {
    if (query.values != nullptr && !query.values->empty()) values_.emplace(*query.values, view);
  }

  [[nodiscard]] std::vector<LineColumn> columns() const { return texts_.columns(); }

  // None if there is nothing to say about the line.
  std::optional<LineData> make(LineNumber text_line);

 private:
  [[nodiscard]] LineData figures(LineNumber text_line, const LineCost& cost);
  [[nodiscard]] LineCalleeData callee(const LineCallee& callee);
  [[nodiscard]] bool held_code(LineNumber build_line) const {
    const auto& lines = view_.costs->lines_with_code;
    return std::binary_search(lines.begin(), lines.end(), build_line);
  }

  const FileView& view_;
  const ShownMetric metric_;
  const double threshold_;
  FunctionLocations& locations_;
  LineMeter meter_;
  const LineDifferences differences_;
  const LineTexts texts_;
  DerivedLineTexts derived_;
  std::optional<LineValues> values_;
};

std::optional<LineData> LineDataMaker::make(LineNumber text_line) {
  const auto build_line = view_.build_line(text_line);
  if (!build_line) return std::nullopt;
  if (!view_.is_current(text_line)) {
    if (!held_code(*build_line)) return std::nullopt;
    LineData changed;
    changed.line = text_line - 1;
    changed.state = LineState::changed;
    changed.cells = LineTexts::cells_of_changed_line();
    return changed;
  }
  const LineCost* cost = view_.costs->line(*build_line);
  return cost == nullptr ? std::nullopt : std::optional(figures(text_line, *cost));
}

LineData LineDataMaker::figures(LineNumber text_line, const LineCost& cost) {
  LineFigures line{meter_.measure(cost),
                   {},
                   derived_.text_of(cost.line),
                   line_waits_text(view_.program, cost, metric_, threshold_)};
  const LineMetrics& metrics = line.metrics;
  LineData data;
  data.line = text_line - 1;
  data.state = metrics.approximate ? LineState::approximate : LineState::current;
  data.calls = metrics.calls;
  data.executions = metrics.executions;
  if (metrics.self_seconds > 0) {
    data.self_seconds = metrics.self_seconds;
    data.self_error = metrics.self_error;
  }
  data.total_seconds = metrics.total_seconds;
  const Ticks total = meter_.total_ticks(cost);
  const FunctionCosts& profile = view_.profile();
  data.significant = !(total > 0) || is_significant(profile, total, profile.error_of(total));
  if (const LineDifference* difference = differences_.of(cost.line)) {
    if (difference->self) data.difference = difference_data(*difference->self);
    if (difference->total) data.total_difference = difference_data(*difference->total);
    line.difference = line_difference_text(view_, *difference, texts_.is_with_calls(metrics));
  }
  data.cells = texts_.cells(line);
  data.heat = metrics.heat(metric_);
  data.level = heat_level(data.heat, metric_);
  data.heats.of = metrics.heats;
  if (values_) data.values = values_->values_of(cost.line);
  const std::size_t count = std::min(metrics.callees.size(), most_callees);
  for (std::size_t i = 0; i < count; ++i) data.callees.push_back(callee(metrics.callees[i]));
  return data;
}

LineCalleeData LineDataMaker::callee(const LineCallee& callee) {
  LineCalleeData data;
  data.name = view_.name_of(callee.symbol);
  data.count = callee.count;
  data.approximate = callee.approximate;
  data.seconds = callee.seconds;
  if (const auto& location = locations_.of(callee.symbol)) {
    data.uri = location->uri;
    data.position = location->range.start;
  }
  return data;
}

// Among equally hot lines, keeps the first. They stay in text order.
void keep_hottest(std::vector<LineData>& lines, std::size_t count) {
  std::erase_if(lines, [](const LineData& line) { return !(line.heat > 0); });
  if (lines.size() <= count) return;
  std::stable_sort(lines.begin(), lines.end(),
                   [](const LineData& a, const LineData& b) { return a.heat > b.heat; });
  lines.resize(count);
  std::sort(lines.begin(), lines.end(),
            [](const LineData& a, const LineData& b) { return a.line < b.line; });
}

LineSource source_of(SourceState state) {
  switch (state) {
    case SourceState::in_step:
      return LineSource::in_step;
    case SourceState::changed:
      return LineSource::changed;
    case SourceState::stale:
      break;
  }
  return LineSource::stale;
}

}  // namespace

LineDataResult line_data(const FileView& view, const LineDataQuery& query,
                         FunctionLocations& locations) {
  LineDataResult result;
  result.source = source_of(view.source_state);
  result.as_compiled = view.as_compiled;
  result.program = view.program.name;
  result.basis = basis_of(view.snapshot());
  if (view.source_state == SourceState::stale) return result;
  LineNumber first = 1;
  LineNumber last = view.text->line_count();
  if (const auto& range = query.range) {
    first = std::min(std::min(range->start.line, range->end.line), last) + 1;
    last = std::min(std::max(range->start.line, range->end.line), last - 1) + 1;
  }
  LineDataMaker maker(view, query, locations);
  result.columns = maker.columns();
  for (LineNumber line = first; line <= last && result.lines.size() < most_lines; ++line) {
    if (auto data = maker.make(line)) result.lines.push_back(std::move(*data));
  }
  if (query.hottest) keep_hottest(result.lines, *query.hottest);
  return result;
}

}  // namespace gprof::lsp
