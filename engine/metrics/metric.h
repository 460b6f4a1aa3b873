// What a profile tells: a metric is one kind of cost or count, with its name, unit and origin.
//
// A profile has one or more metrics of cost, whose places are samples or counted events: `cpu`, or
// an event under the name that its tool gives it (`page-faults`, `Ir`). Beside them stand `calls`
// and `executions`. A derived metric is a formula of others (engine/metrics/formula.h).
//
// Thread contract: value types and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gprof {

enum class MetricKind : std::uint8_t {
  sampled,  // figures have errors
  exact,
  derived,  // a formula of others, with their errors propagated
};

struct Metric {
  std::string name;   // as in settings, requests and options: cpu, Ir, cache-misses
  std::string label;  // for lists: "CPU time", "Ir: instructions executed"
  std::string unit;   // "seconds"; of counts, what is counted: "calls", "events"
  MetricKind kind = MetricKind::sampled;
  // How its figures were obtained, as a phrase: "sampled 100 times per CPU second", "exact: counted
  // by callgrind". A derived metric has its formula.
  std::string origin;

  friend bool operator==(const Metric&, const Metric&) = default;
};

inline constexpr std::string_view cpu_metric = "cpu";
inline constexpr std::string_view calls_metric = "calls";
inline constexpr std::string_view executions_metric = "executions";

// Of costs, not of calls or executions.
[[nodiscard]] inline bool is_of_cost(const Metric& metric) {
  return metric.kind != MetricKind::derived && metric.name != calls_metric &&
         metric.name != executions_metric;
}

}  // namespace gprof
