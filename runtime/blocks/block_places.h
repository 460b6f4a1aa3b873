// Where a module's blocks call the collector, found in its machine code: all calls to the target of
// a call that was seen. So blocks that never ran are known as well, without a table of the
// compiler's.
//
// Thread contract: any thread, any signal handler; two threads may find the same module's places,
// and readers are to take equal places for one.
#pragma once

#include <cstdint>

namespace gprof_runtime::blocks {

// Records the places of the module in which a call returns to `returns_to`, unless that is done.
void find_places(std::uint64_t returns_to);

}  // namespace gprof_runtime::blocks
