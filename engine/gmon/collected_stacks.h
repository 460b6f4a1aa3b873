// Stacks of live counters, in the terms of sidecars.
//
// Units: link-time addresses. Thread contract: pure functions but for LiveModules, which they ask.
// Errors: none; what cannot be unfolded is a mark of frames that are missing.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/gmon/live_counters.h"
#include "engine/gmon/live_modules.h"
#include "engine/gmon/sidecar.h"

namespace gprof {

[[nodiscard]] SidecarStack resolved_stack(const LiveStack& stack, LiveModules& modules);

// The same without the frames of the collector, which begins threads and ends the process.
[[nodiscard]] SidecarStack resolved_without_collector(const LiveStack& stack, LiveModules& modules,
                                                      const std::vector<SidecarModule>& known);

// Makes one of equal ones, with the sum of their counts; the most frequent first. Returns where
// each of the stacks is now.
std::vector<std::uint32_t> join_equal_stacks(std::vector<SidecarStack>& stacks);

}  // namespace gprof
