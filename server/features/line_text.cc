#include "server/features/line_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "server/features/cost_text.h"

namespace gprof::lsp {
namespace {

std::string executions_text(std::uint64_t executions) { return short_count(executions) + "×"; }

LinePart leading_part(ShownMetric metric, bool has_total) {
  if (metric == ShownMetric::calls) return LinePart::calls;
  if (metric == ShownMetric::executions) return LinePart::executions;
  return has_total ? LinePart::total : LinePart::self;
}

}  // namespace

TimeScale time_scale(const FunctionCosts& profile) {
  return {spelled_unit_of(profile), sample_scale(profile), has_times(profile)};
}

struct LineTexts::Cell {
  const char* name;
  std::uint32_t width;     // characters
  std::uint32_t of_error;  // more of them where errors of sampled times are shown
  bool has_unit;
  bool (*is_present)(const LineTexts& texts);
  std::string (*text)(const LineTexts& texts, const LineFigures& line);
};

// All cells, from left to right, the most telling first: a window that is too narrow shows the
// first ones. Editors lay out what is listed here: a row is all that a new cell needs.
std::span<const LineTexts::Cell> LineTexts::table() {
  static constexpr std::array<Cell, 6> cells = {{
      {"value", 10, 0, false, [](const LineTexts& texts) { return texts.options_.derived; },
       [](const LineTexts&, const LineFigures& line) { return line.value; }},
      {"share", 6, 0, false, [](const LineTexts& texts) { return texts.scale_.has_times; },
       [](const LineTexts& texts, const LineFigures& line) {
         return texts.share_text(texts.time(line.metrics));
       }},
      {"time", 8, 5, true, [](const LineTexts& texts) { return texts.scale_.has_times; },
       [](const LineTexts& texts, const LineFigures& line) {
         return texts.time_text(texts.time(line.metrics));
       }},
      {"waits", 12, 0, false, [](const LineTexts& texts) { return texts.options_.waits; },
       [](const LineTexts&, const LineFigures& line) { return line.waits; }},
      {"difference", 10, 0, true, [](const LineTexts& texts) { return texts.options_.compared; },
       [](const LineTexts&, const LineFigures& line) { return line.difference; }},
      {"count", 8, 0, false, [](const LineTexts&) { return true; },
       [](const LineTexts& texts, const LineFigures& line) {
         return texts.count_text(line.metrics);
       }},
  }};
  return cells;
}

std::vector<LineColumn> LineTexts::columns() const {
  const auto unit = static_cast<std::uint32_t>(scale_.unit.abbreviation.size());
  std::vector<LineColumn> columns;
  for (const Cell& cell : table()) {
    if (!cell.is_present(*this)) continue;
    std::uint32_t width = cell.width;
    if (options_.errors && scale_.samples.sample_seconds) width += cell.of_error;
    if (cell.has_unit && unit > 1) width += unit - 1;
    columns.push_back({cell.name, width});
  }
  return columns;
}

std::vector<std::string> LineTexts::cells(const LineFigures& line) const {
  std::vector<std::string> cells;
  for (const Cell& cell : table()) {
    if (cell.is_present(*this)) cells.push_back(cell.text(*this, line));
  }
  while (!cells.empty() && cells.back().empty()) cells.pop_back();
  return cells;
}

std::vector<LinePartText> LineTexts::hint(const LineFigures& line, std::string calls) const {
  const LineMetrics& metrics = line.metrics;
  std::vector<LinePartText> parts;
  auto add = [&](LinePart part, std::string text) {
    if (!text.empty()) parts.push_back({part, std::move(text)});
  };
  auto add_time = [&](LinePart part, const Time& time) {
    const std::string share = share_text(time);
    add(part, time_text(time) + (share.empty() ? "" : " ") + share);
  };
  const Time time = this->time(metrics);
  add(LinePart::value, line.value);
  if (time.with_calls) add_time(LinePart::total, time);
  if (metrics.executions) add(LinePart::executions, executions_text(*metrics.executions));
  if (!time.with_calls || options_.metric == ShownMetric::total) {
    add_time(LinePart::self, self_time(metrics));
  }
  add(LinePart::waits, line.waits);
  add(LinePart::difference, line.difference);
  add(LinePart::calls, std::move(calls));

  const LinePart first =
      options_.derived ? LinePart::value : leading_part(options_.metric, time.with_calls);
  const auto leading = std::find_if(parts.begin(), parts.end(),
                                    [&](const LinePartText& text) { return text.part == first; });
  if (leading != parts.end()) std::rotate(parts.begin(), leading, leading + 1);
  return parts;
}

LineTexts::Time LineTexts::self_time(const LineMetrics& line) {
  return {line.self_seconds, line.self_error, line.self_share, false, false};
}

// Estimates stand on lines only where they are asked for. If the line's calls cost nothing, its
// total is its self time, not an estimate.
LineTexts::Time LineTexts::time(const LineMetrics& line) const {
  const Seconds total = line.total_seconds.value_or(0);
  if (!is_with_calls(line) || !(total > line.self_seconds)) return self_time(line);
  return {total, line.total_error, line.total_share, true, !line.total_measured};
}

bool LineTexts::is_shown(const Time& time) const {
  return time.seconds > 0 && time.share >= options_.threshold;
}

bool LineTexts::is_sampled(const Time& time) const {
  return time.seconds >= scale_.samples.sample_seconds.value_or(0);
}

std::string LineTexts::time_text(const Time& time) const {
  if (!is_shown(time)) return {};
  if (!is_sampled(time)) {
    return "< " + limit(scale_.samples.unsampled_below.value_or(0), scale_.unit);
  }
  std::string text = short_amount(time.seconds, time.error, scale_.unit);
  if (options_.errors && !time.estimated) {
    const std::string error = error_text(time.error, scale_.unit);
    if (!error.empty()) text = fmt::format("{} ±{}", text.substr(0, text.find(' ')), error);
  }
  return time.estimated ? estimated_text(std::move(text)) : text;
}

std::string LineTexts::share_text(const Time& time) const {
  return is_shown(time) && is_sampled(time) ? percent(time.share) : std::string();
}

// Calls that the line makes have an arrow; how often it ran has a times sign.
std::string LineTexts::count_text(const LineMetrics& line) const {
  if (line.executions && options_.metric != ShownMetric::calls)
    return executions_text(*line.executions);
  if (!line.calls) return {};
  return fmt::format("{}→ {}", line.approximate ? "≈" : "", short_count(*line.calls));
}

}  // namespace gprof::lsp
