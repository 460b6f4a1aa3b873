// Waits as costs of a profile. Each kind of wait and function that blocked has three metrics: the
// total time, the number of waits, and the longest wait. All three have the name of the kind's
// metric and the function as `origin`; their units differ.
//
// Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/metrics/wait_kinds.h"
#include "engine/profile/profile.h"

namespace gprof {

enum class WaitFigure : std::uint8_t {
  time,     // nanoseconds
  number,   // of waits that ended
  longest,  // nanoseconds
};

struct WaitMetric {
  WaitKind kind = WaitKind::other;
  std::string_view function;  // empty if it is not known
  WaitFigure figure = WaitFigure::time;
};

[[nodiscard]] ProfileMetric metric_of_waits(const WaitMetric& wait);
// None if it is another metric. The view is of its text.
[[nodiscard]] std::optional<WaitMetric> waits_of_metric(const ProfileMetric& metric);

}  // namespace gprof
