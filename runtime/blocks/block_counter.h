// Exact execution counts of basic blocks, from -fsanitize-coverage (trace-pc, trace-pc-guard).
//
// Counts lie in pages (BlockPage) of each slot, found by a small cache by address. When a module's
// first block is counted, the module's code is searched for all calls of the collector, so that
// blocks that never ran are known, too (chunk block_places).
//
// Thread contract: any thread; a handler that interrupts the counter may count blocks itself.
#pragma once

#include <cstdint>

#include "runtime/process/thread_state.h"

namespace gprof_runtime::blocks {

// After modules were unloaded: their pages belong to the epoch that ended, and no cache leads to
// them any more.
void retire(std::uint64_t ended_epoch);

}  // namespace gprof_runtime::blocks
