// gprof_reset(): all counts begin again at 0. Calls that other threads count meanwhile may survive
// or not.
//
// Thread contract: any thread, any signal handler.
#pragma once

namespace gprof_runtime {

void reset_counts();

}  // namespace gprof_runtime
