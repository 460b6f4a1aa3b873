// The kinds of waits, and the names of their metrics.
//
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/sidecar.h"

namespace gprof {

using gprof_formats::WaitKind;

inline constexpr std::string_view wait_metric = "wait";
inline constexpr std::size_t wait_kind_count = 6;

struct WaitKindText {
  WaitKind kind = WaitKind::other;
  std::string_view name;  // its metric is wait_metric, a point, and this
  std::string_view label;
};
// In the order in which they are listed; `other` comes last.
[[nodiscard]] std::span<const WaitKindText> wait_kinds();

// "lock", "io", "sleep", "child", "cpu" or "other".
[[nodiscard]] std::string_view wait_kind_name(WaitKind kind);
// As "wait.lock".
[[nodiscard]] std::string wait_metric_of(WaitKind kind);
// Which kind the metric of that name is of; none: of no kind alone.
[[nodiscard]] std::optional<WaitKind> wait_kind_of(std::string_view cost);

}  // namespace gprof
