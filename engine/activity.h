// What a thread does at some time, as time by the clock tells it: it runs, waits for something, or
// waits for work and is idle (profile/idle_waits.h).
//
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/analysis/wait_index.h"

namespace gprof {

// In the order in which they are told. Between the first and the last: the kinds of waits.
enum class Activity : std::uint8_t { running, lock, io, sleep, child, other, cpu, idle };
inline constexpr std::size_t activity_count = wait_kind_count + 2;

[[nodiscard]] constexpr std::size_t place_of(Activity activity) {
  return static_cast<std::size_t>(activity);
}
[[nodiscard]] constexpr Activity activity_at(std::size_t place) {
  return static_cast<Activity>(place);
}
[[nodiscard]] constexpr Activity activity_of(WaitKind kind) {
  return activity_at(place_of(Activity::running) + 1 + place_of(kind));
}

}  // namespace gprof
