// Exact execution counts of basic blocks, from -fsanitize-coverage (trace-pc, trace-pc-guard).
//
// Counts are kept per slot in pages (BlockPage), found through a small cache by address. When a
// module's first block is counted, the module's code is searched for all calls to the collector, so
// that blocks that never ran are known, too (chunk block_places).
//
// Thread contract: any thread; a handler that interrupts the counter may count blocks itself.
#pragma once

#include <cstdint>

#include "runtime/process/thread_state.h"

namespace gprof_runtime::blocks {

// After modules were unloaded: assigns their pages to the epoch that ended and removes them from
// all caches.
void retire(std::uint64_t ended_epoch);

}  // namespace gprof_runtime::blocks
