// What stands at the end of a line: cells that editors lay out in columns, and the parts of a hint,
// which are made of the same texts.
//
// Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/features/line_metrics.h"
#include "server/protocol/extension_answers.h"
#include "server/text/number_text.h"

namespace gprof::lsp {

struct LineTextOptions {
  ShownMetric metric =
      ShownMetric::time;  // which count and which time; in a hint, which comes first
  // Times below this share of the program's are left out; counts are exact and stay.
  double threshold = 0;
  bool errors = false;    // times with one standard deviation
  bool compared = false;  // with a base
  bool derived = false;   // a derived metric leads
  bool waits = false;     // what waited is told beside CPU time
};

// How the times of a profile are written on lines.
struct TimeScale {
  TimeUnit unit;
  SampleScale samples;
  bool has_times = true;
};
[[nodiscard]] TimeScale time_scale(const FunctionCosts& profile);

// A line's figures, and what they do not tell.
struct LineFigures {
  LineMetrics metrics;
  std::string difference;  // from the base; empty if there is none that is significant
  std::string value;       // by the derived metric
  std::string waits;       // as line_waits_text()
};

enum class LinePart : std::uint8_t { value, executions, self, total, waits, difference, calls };

// A part of a hint: "26.3k×" executed, "0.12 s 7.7 %" self, "≈1.05 s 83 %" with its calls,
// "8.2 s lock" waited here or in its calls, "→ init_block 13.3k×" calls made here, "+0.05 s ▲"
// against the base; "58.3 µs" by the derived metric that leads.
struct LinePartText {
  LinePart part = LinePart::self;
  std::string text;
};

class LineTexts {
 public:
  LineTexts(TimeScale scale, LineTextOptions options)
      : scale_(std::move(scale)), options_(options) {}

  // Those that the profile can fill, the most telling first.
  [[nodiscard]] std::vector<LineColumn> columns() const;
  // By the columns, without empty ones at the end.
  [[nodiscard]] std::vector<std::string> cells(const LineFigures& line) const;
  // Whether the time on a line is with what it calls: then so is the difference.
  [[nodiscard]] bool is_with_calls(const LineMetrics& line) const {
    return options_.metric == ShownMetric::total ||
           (options_.metric != ShownMetric::self && line.total_measured);
  }
  // Whether a time stands on the line.
  [[nodiscard]] bool has_time(const LineMetrics& line) const { return is_shown(time(line)); }
  [[nodiscard]] static std::vector<std::string> cells_of_changed_line() { return {"changed"}; }
  // The metric's part first. `calls` says what the line calls; empty if it calls nothing.
  [[nodiscard]] std::vector<LinePartText> hint(const LineFigures& line, std::string calls) const;

 private:
  // The time that stands on a line.
  struct Time {
    Seconds seconds = 0;
    Seconds error = 0;
    double share = 0;
    bool with_calls = false;  // what the line calls took time as well
    bool estimated = false;
  };
  struct Cell;
  static std::span<const Cell> table();

  [[nodiscard]] static Time self_time(const LineMetrics& line);
  [[nodiscard]] Time time(const LineMetrics& line) const;
  [[nodiscard]] bool is_shown(const Time& time) const;
  [[nodiscard]] bool is_sampled(const Time& time) const;
  [[nodiscard]] std::string time_text(const Time& time) const;
  [[nodiscard]] std::string share_text(const Time& time) const;
  [[nodiscard]] std::string count_text(const LineMetrics& line) const;

  TimeScale scale_;
  LineTextOptions options_;
};

}  // namespace gprof::lsp
