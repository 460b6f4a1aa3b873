// In static programs, which call their own libc: nothing can stand in front of it.
#include "runtime/storage/live_file.h"
#include "runtime/system/message.h"
#include "runtime/waits/cpu_waits.h"
#include "runtime/waits/waits.h"

namespace gprof_runtime::waits {

void prepare() {}
void start() {
  // Its children need not say so again.
  if ((live::header()->flags & process_flags::forked) != 0) return;
  report_problem("waits are not measured in a static program", nullptr, 0);
}
void abandon() {}
void count_open() {}
void begin_cpu_waits(ThreadState* /*thread*/) {}
void look_at_sample(ThreadState* /*thread*/) {}
void look_at_end(ThreadState* /*thread*/) {}

}  // namespace gprof_runtime::waits
