// Settings of derived metrics: lines `NAME = FORMULA`, for a profile with metrics of odd names.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/metrics/derived_metrics.h"
#include "tests/fuzz/require.h"

using namespace gprof;
using gprof::test::require;

namespace {

std::vector<DerivedMetricDefinition> definitions_in(std::string_view text) {
  std::vector<DerivedMetricDefinition> definitions;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t sign = std::min(line.find('='), line.size());
    definitions.push_back({std::string(line.substr(0, sign)),
                           std::string(line.substr(std::min(sign + 1, line.size()))), ""});
  }
  return definitions;
}

void check(const DerivedMetric& metric) {
  const std::size_t names = metric.formula.names().size();
  for (const double value : {0.0, 1.0, -3.5, 1e200}) {
    const auto figure = metric.formula.evaluate(std::vector<Figure>(names, {value, 0.5}));
    if (!figure) continue;
    require(std::isfinite(figure->value), "a figure is a number");
    require(std::isfinite(figure->error) && figure->error >= 0, "an error is a size");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<Metric> metrics;
  for (const std::string_view name : {"cpu", "calls", "executions", "cache-misses:u", "a b",
                                      "cpu_core/cycles/", "cpu_core/instructions/", "(", "\""}) {
    metrics.push_back({std::string(name), "", "seconds", MetricKind::sampled, ""});
  }
  const auto definitions = definitions_in(text);
  const DerivedMetrics derived = derived_metrics(metrics, definitions);
  for (const DerivedMetric& metric : derived.metrics) check(metric);
  for (const Error& problem : derived.problems) {
    require(!problem.message.empty(), "a problem is told");
  }
  require(derived.metrics.size() <= most_derived_metrics + built_in_metrics(metrics).size(),
          "definitions are bounded");
  return 0;
}
