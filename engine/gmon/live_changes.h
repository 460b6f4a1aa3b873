// What has happened between two looks at the counters of one process.
//
// Thread contract: pure functions.
#pragma once

#include "engine/gmon/live_counters.h"

namespace gprof {

// Whether both show the same calls, samples and block counts.
[[nodiscard]] bool same_counts(const LiveCounters& a, const LiveCounters& b);

// Whether some count is smaller than it was. Counts only rise, so this one was caught while it was
// moved from one table to another; or the program has reset its counts.
[[nodiscard]] bool shows_less(const LiveCounters& now, const LiveCounters& before);

}  // namespace gprof
