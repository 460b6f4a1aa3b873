#include "engine/profile/wait_metrics.h"

#include <string>

namespace gprof {
namespace {

constexpr std::uint32_t ticks_of_waits = 1'000'000'000;
// They come after all others.
constexpr std::uint32_t order_of_waits = 1U << 20;

constexpr std::string_view unit_of_number = "waits";
constexpr std::string_view unit_of_longest = "seconds, the longest";

}  // namespace

ProfileMetric metric_of_waits(const WaitMetric& wait) {
  ProfileMetric made;
  made.metric.name = wait_metric_of(wait.kind);
  made.metric.kind = MetricKind::exact;
  made.metric.origin = wait.function;
  made.metric.unit = wait.figure == WaitFigure::time     ? "seconds"
                     : wait.figure == WaitFigure::number ? unit_of_number
                                                         : unit_of_longest;
  made.amounts_a_unit = wait.figure == WaitFigure::number ? 1 : ticks_of_waits;
  made.order = order_of_waits;
  made.keeps_largest = wait.figure == WaitFigure::longest;
  return made;
}

std::optional<WaitMetric> waits_of_metric(const ProfileMetric& metric) {
  const auto kind = wait_kind_of(metric.metric.name);
  if (!kind || metric.order != order_of_waits) return std::nullopt;
  const std::string_view unit = metric.metric.unit;
  const WaitFigure figure = unit == unit_of_number    ? WaitFigure::number
                            : unit == unit_of_longest ? WaitFigure::longest
                                                      : WaitFigure::time;
  return WaitMetric{*kind, metric.metric.origin, figure};
}

}  // namespace gprof
