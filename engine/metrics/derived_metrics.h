// The derived metrics of a profile: those that are built in, as far as it has what they are made
// of, and those of a setting.
//
// Thread contract: value types and pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/metrics/formula.h"
#include "engine/metrics/metric.h"
#include "engine/support/expected.h"

namespace gprof {

struct DerivedMetricDefinition {
  std::string name;
  std::string formula;
  std::string unit;

  friend bool operator==(const DerivedMetricDefinition&, const DerivedMetricDefinition&) = default;
};

struct DerivedMetric {
  Metric metric;
  // Of metrics of the profile alone: other derived ones are put in.
  Formula formula;
};

struct DerivedMetrics {
  std::vector<DerivedMetric> metrics;  // built-in ones first
  // What is wrong with definitions, each told once and naming it: an unknown name (with those there
  // are), a cycle of definitions, a name that is taken, a formula that cannot be read. Each is an
  // invalid_argument without a path.
  Warnings problems;
};

// What a setting may have; more definitions are left out, longer names refused.
inline constexpr std::size_t most_derived_metrics = 64;
inline constexpr std::size_t longest_metric_name = 128;

// `metrics`: of the profile, with `calls` and `executions` if it has those. Built in: `seconds per
// call`, `seconds per execution`, `instructions per cycle`, `misses per execution`, each where the
// profile has its parts (docs/metrics.md).
[[nodiscard]] DerivedMetrics derived_metrics(
    const std::vector<Metric>& metrics, const std::vector<DerivedMetricDefinition>& definitions);

// The definitions of the built-in ones that these metrics allow.
[[nodiscard]] std::vector<DerivedMetricDefinition> built_in_metrics(
    const std::vector<Metric>& metrics);

}  // namespace gprof
