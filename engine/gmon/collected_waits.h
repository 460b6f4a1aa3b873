// The waits of live counters, in a sidecar: what the collector makes of them when a program ends
// (docs/gmon-format.md, "From live counters to a profile").
//
// Units: nanoseconds. Thread contract: one thread. Errors: none; a wait or holder of a lock whose
// stack is not there is left out.
#pragma once

#include "engine/gmon/live_counters.h"
#include "engine/gmon/live_modules.h"
#include "engine/gmon/sidecar.h"

namespace gprof {

// Adds them, and the names of the functions that waited. The sidecar has its modules and threads,
// and no waits.
void collect_waits(const LiveCounters& live, LiveModules& modules, Sidecar& sidecar);

}  // namespace gprof
