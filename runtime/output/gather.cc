#include "runtime/output/gather.h"

namespace gprof_runtime {

bool gather(Gathered& into) {
  return into.modules.collect() && gather_calls(into) && gather_samples(into) &&
         gather_stacks(into) && gather_blocks(into) && into.complete();
}

}  // namespace gprof_runtime
