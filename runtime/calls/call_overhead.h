// The call overhead on this machine, measured in the profiled process.
//
// Thread contract: any thread, with signals blocked. Takes about a millisecond.
#pragma once

#include <cstdint>

namespace gprof_runtime {

// Picoseconds that counting adds to a call; 0 if the clock cannot resolve them.
std::uint64_t measure_call_overhead();

}  // namespace gprof_runtime
