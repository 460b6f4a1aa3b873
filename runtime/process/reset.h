// gprof_reset(): resets all counts to 0. Calls that other threads count meanwhile may or may not
// survive.
//
// Thread contract: any thread, any signal handler.
#pragma once

namespace gprof_runtime {

void reset_counts();

}  // namespace gprof_runtime
