// Moves the arcs of unloaded libraries out of the threads' tables, because another library may be
// loaded at the same addresses. No thread counts them meanwhile: the code that would is gone.
//
// Thread contract: one thread at a time, with signals blocked.
#pragma once

#include <cstdint>

namespace gprof_runtime {

// Moves all arcs with an address in a module that was unloaded at the end of `ended_epoch`.
void retire_calls(std::uint64_t ended_epoch);

// Whether there are any, in this process or one that it was forked from. Any thread.
bool has_retired_calls();

}  // namespace gprof_runtime
