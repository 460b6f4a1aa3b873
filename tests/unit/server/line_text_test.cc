// What stands at the end of a line, by metric, threshold and errors.
#include "server/features/line_text.h"

#include <cmath>

#include <catch2/catch.hpp>

using namespace gprof::lsp;

namespace {

const TimeScale hundredths = {{100, "s", true}, {0.01, 0.03}};
const TimeScale instructions = {{1, "instructions", false}, {}};

// 0.31 of 3.1 seconds, and 0.62 with what it calls.
LineFigures line_with_calls() {
  LineFigures line;
  line.metrics.calls = 26'345;
  line.metrics.self_seconds = 0.31;
  line.metrics.self_error = 0.056;
  line.metrics.self_share = 0.1;
  line.metrics.total_seconds = 0.62;
  line.metrics.total_error = 0.08;
  line.metrics.total_share = 0.2;
  return line;
}

LineFigures leaf() {
  LineFigures line = line_with_calls();
  line.metrics.calls.reset();
  line.metrics.total_seconds = line.metrics.self_seconds;
  line.metrics.total_error = line.metrics.self_error;
  line.metrics.total_share = line.metrics.self_share;
  return line;
}

LineFigures with_self(double seconds, double error, double share) {
  LineFigures line = line_with_calls();
  line.metrics.self_seconds = seconds;
  line.metrics.self_error = error;
  line.metrics.self_share = share;
  return line;
}

// Cells with a bar between them.
std::string cells(const LineFigures& line, LineTextOptions options = {},
                  const TimeScale& scale = hundredths) {
  std::string text;
  for (const std::string& cell : LineTexts(scale, options).cells(line)) text += "|" + cell;
  return text.empty() ? text : text.substr(1);
}

std::string hint(const LineFigures& line, ShownMetric metric, const std::string& calls = {}) {
  std::string text;
  for (const LinePartText& part : LineTexts(hundredths, {metric}).hint(line, calls)) {
    text += text.empty() ? part.text : " · " + part.text;
  }
  return text;
}

std::vector<std::string> names_of(const std::vector<LineColumn>& columns) {
  std::vector<std::string> names;
  for (const LineColumn& column : columns) names.push_back(column.name);
  return names;
}

constexpr LineTextOptions with_errors = {ShownMetric::self, 0.005, true};

}  // namespace

TEST_CASE("cells of a line: calls, self time, its share") {
  CHECK(cells(line_with_calls()) == "10 %|0.31 s|→ 26.3k");
  CHECK(cells(line_with_calls(), with_errors) == "10 %|0.31 ±0.06 s|→ 26.3k");
  CHECK(LineTexts(hundredths, {}).cells(leaf()) == std::vector<std::string>{"10 %", "0.31 s"});
  CHECK(cells(LineFigures()).empty());
}

TEST_CASE("how often a line ran comes before what it calls, but for the metric of calls") {
  LineFigures line = line_with_calls();
  line.metrics.executions = 100;
  CHECK(cells(line) == "10 %|0.31 s|100×");
  CHECK(cells(line, {ShownMetric::executions}) == "10 %|0.31 s|100×");
  CHECK(cells(line, {ShownMetric::calls}) == "10 %|0.31 s|→ 26.3k");
}

TEST_CASE("calls that may be other lines' are marked, exact executions are not") {
  LineFigures line = line_with_calls();
  line.metrics.approximate = true;
  CHECK(cells(line) == "10 %|0.31 s|≈→ 26.3k");
  line.metrics.executions = 100;
  CHECK(cells(line) == "10 %|0.31 s|100×");
}

TEST_CASE("totals are marked where they are estimates") {
  LineFigures line = line_with_calls();
  const LineTextOptions total = {ShownMetric::total, 0, true};
  CHECK(cells(line, total) == "20 %|≈0.62 s|→ 26.3k");
  line.metrics.total_measured = true;
  CHECK(cells(line, total) == "20 %|0.62 ±0.08 s|→ 26.3k");
  // Where what the line calls took no time, its total is its self time, which has an error.
  CHECK(cells(leaf(), total) == "10 %|0.31 ±0.06 s");
}

TEST_CASE("below the threshold there is no time, but the count stays") {
  CHECK(cells(line_with_calls(), {ShownMetric::self, 0.2}) == "||→ 26.3k");
  CHECK(cells(line_with_calls(), {ShownMetric::self, 0.1}) == "10 %|0.31 s|→ 26.3k");
  CHECK(cells(line_with_calls(), {ShownMetric::total, 0.15}) == "20 %|≈0.62 s|→ 26.3k");
  CHECK(cells(leaf(), {ShownMetric::self, 0.2}).empty());
}

TEST_CASE("less than a sample is a limit without a share") {
  CHECK(cells(with_self(0.004, 0.0063, 0.001)) == "|< 0.03 s|→ 26.3k");
  CHECK(cells(with_self(0.01, 0.01, 0.1), with_errors) == "10 %|0.01 ±0.01 s|→ 26.3k");
  CHECK(cells(with_self(0.05, 0.2, 0.1), with_errors) == "10 %|0.05 ±0.20 s|→ 26.3k");
  CHECK(cells(with_self(0, 0, 0)) == "||→ 26.3k");
}

TEST_CASE("times have the decimals of a tick and the unit of their error") {
  const TimeScale tenths = {{10, "s", true}, {0.1, 0.3}};
  CHECK(cells(with_self(0.4, 0.2, 0.1), with_errors, tenths) == "10 %|0.4 ±0.2 s|→ 26.3k");
  const TimeScale fine = {{1000, "s", true}, {0.001, 0.003}};
  CHECK(cells(with_self(0.003, 0.0017, 0.1), with_errors, fine) == "10 %|3.0 ±1.7 ms|→ 26.3k");
  CHECK(cells(with_self(0.003, 0.0017, 0.1), {}, fine) == "10 %|3.0 ms|→ 26.3k");
}

TEST_CASE("costs of other units are counts of them") {
  CHECK(cells(with_self(26'345, 0, 0.1), with_errors, instructions) ==
        "10 %|26.3k instructions|→ 26.3k");
  CHECK(cells(with_self(3, 0, 0.1), with_errors, instructions) == "10 %|3 instructions|→ 26.3k");
  const TimeScale samples = {{1, "samples", false}, {1, 3}};
  CHECK(cells(with_self(16, 4, 0.1), with_errors, samples) == "10 %|16 ±4 samples|→ 26.3k");
  CHECK(cells(with_self(0.5, 0.7, 0.1), with_errors, samples) == "|< 3 samples|→ 26.3k");
}

TEST_CASE("the difference comes before the count, and is there without a time as well") {
  LineFigures line = line_with_calls();
  line.difference = "+0.21 s ▲";
  LineTextOptions options;
  options.compared = true;
  CHECK(cells(line, options) == "10 %|0.31 s|+0.21 s ▲|→ 26.3k");
  options.threshold = 0.5;
  CHECK(cells(line, options) == "||+0.21 s ▲|→ 26.3k");
  CHECK(cells(line) == "10 %|0.31 s|→ 26.3k");
}

TEST_CASE("columns have names in order, and a width for every line") {
  constexpr LineTextOptions compared = {ShownMetric::self, 0, false, true};
  constexpr LineTextOptions compared_with_errors = {ShownMetric::self, 0, true, true};
  const auto plain = LineTexts(hundredths, compared).columns();
  CHECK(names_of(plain) == std::vector<std::string>{"share", "time", "difference", "count"});
  const auto wide = LineTexts(hundredths, compared_with_errors).columns();
  const auto spelled = LineTexts(instructions, compared).columns();
  REQUIRE(wide.size() == plain.size());
  CHECK(wide[0].width == plain[0].width);
  CHECK(wide[1].width > plain[1].width);
  CHECK(spelled[1].width >= std::string("26.3k instructions").size());
  CHECK(spelled[2].width > plain[2].width);
  // Exact costs have no errors to make room for.
  CHECK(LineTexts(instructions, compared_with_errors).columns()[1].width == spelled[1].width);
}

TEST_CASE("columns that nothing can fill are left out") {
  CHECK(names_of(LineTexts(hundredths, {}).columns()) ==
        std::vector<std::string>{"share", "time", "count"});
  TimeScale untimed = hundredths;
  untimed.has_times = false;
  CHECK(names_of(LineTexts(untimed, {}).columns()) == std::vector<std::string>{"count"});
  CHECK(LineTexts(untimed, {}).cells(line_with_calls()) == std::vector<std::string>{"→ 26.3k"});
}

TEST_CASE("a hint has every figure, that of the metric first") {
  LineFigures line = line_with_calls();
  line.metrics.executions = 100;
  line.difference = "+0.21 s ▲";
  CHECK(hint(line, ShownMetric::self, "→ f 5×") == "0.31 s 10 % · 100× · +0.21 s ▲ · → f 5×");
  CHECK(hint(line, ShownMetric::executions) == "100× · 0.31 s 10 % · +0.21 s ▲");
  CHECK(hint(line, ShownMetric::calls, "→ f 5×") == "→ f 5× · 100× · 0.31 s 10 % · +0.21 s ▲");
  CHECK(hint(line, ShownMetric::total) == "≈0.62 s 20 % · 100× · 0.31 s 10 % · +0.21 s ▲");
  CHECK(hint(leaf(), ShownMetric::total) == "0.31 s 10 %");
  CHECK(hint(with_self(0.004, 0.0063, 0.001), ShownMetric::self) == "< 0.03 s");
}

TEST_CASE("levels of times follow their share, those of counts a logarithm") {
  auto level = [](double share) { return heat_level(std::sqrt(share), ShownMetric::self); };
  CHECK(level(0) == 0);
  CHECK(level(0.004) == 0);
  CHECK(level(0.005) == 1);
  CHECK(level(0.03) == 2);
  CHECK(level(0.1) == 3);
  CHECK(level(0.25) == 4);
  CHECK(level(0.5) == 5);
  CHECK(level(1) == 5);
  CHECK(heat_level(std::sqrt(0.11), ShownMetric::total) == 3);
  CHECK(heat_level(0.34, ShownMetric::executions) == 0);
  CHECK(heat_level(0.7, ShownMetric::calls) == 3);
  CHECK(heat_level(1, ShownMetric::executions) == 5);
}
