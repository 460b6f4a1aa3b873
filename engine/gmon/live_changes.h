// What happened between two readings of one process's counters.
//
// Thread contract: pure functions.
#pragma once

#include "engine/gmon/live_counters.h"

namespace gprof {

// Whether both have the same calls, samples and block counts.
[[nodiscard]] bool same_counts(const LiveCounters& a, const LiveCounters& b);

// Whether some count is smaller than before. Counts only grow, so it was read while being moved
// from one table to another, or the program has reset its counts.
[[nodiscard]] bool shows_less(const LiveCounters& now, const LiveCounters& before);

}  // namespace gprof
