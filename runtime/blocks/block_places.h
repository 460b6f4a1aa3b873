// Finds where a module's blocks call the collector: all calls in its machine code to the target of
// a call that was seen. This finds blocks that never ran, too, without a table from the compiler.
//
// Thread contract: any thread, any signal handler; two threads may find the same module's places,
// so readers must drop duplicates.
#pragma once

#include <cstdint>

namespace gprof_runtime::blocks {

// Records the places of the module that contains `returns_to`, unless they are recorded already.
void find_places(std::uint64_t returns_to);

}  // namespace gprof_runtime::blocks
