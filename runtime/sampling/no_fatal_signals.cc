// Static programs have no handlers of ours for their crashes.
#include "runtime/sampling/fatal_signals.h"

namespace gprof_runtime::sampler {

void begin_noting_crashes() {}
void give_up_noting_crashes() {}

}  // namespace gprof_runtime::sampler
