// Static programs have no handlers of ours for their crashes.
#include "runtime/sampling/fatal_signals.h"
#include "runtime/sampling/kernel_signals.h"

namespace gprof_runtime::sampler {

void begin_noting_crashes() {}
void give_up_noting_crashes() {}

bool program_handles(int signal) {
  KernelAction action = {};
  return read_action(signal, &action) && action.handler != default_action &&
         action.handler != ignored_action;
}

}  // namespace gprof_runtime::sampler
