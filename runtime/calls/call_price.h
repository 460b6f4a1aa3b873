// What counting one call costs on this machine, measured where it is paid.
//
// Thread contract: the calling thread, with signals blocked; about a millisecond.
#pragma once

#include <cstdint>

namespace gprof_runtime {

// Picoseconds of an instrumented call over one that is not; 0 where the clock does not tell.
std::uint64_t measure_call_price();

}  // namespace gprof_runtime
