// What runs when the library is loaded and when the process ends.
#include <stdlib.h>

#include "runtime/process/hooks.h"
#include "runtime/process/lifecycle.h"

namespace {

// First among the constructors and last among the destructors of what the collector is linked into,
// so that what others do there is counted.
constexpr int outermost_priority = 101;

[[gnu::constructor(outermost_priority)]] void load() {
  gprof_runtime::keep_exit_hooks();
  gprof_runtime::keep_exec_hooks();
  gprof_runtime::keep_root_hooks();
  gprof_runtime::keep_block_hooks();
  gprof_runtime::prepare_process();
}

void end(int status, void* /*nothing*/) {
  gprof_runtime::finish(gprof_runtime::Ending::returned, status, true);
}

// Destructors of other libraries may come after this one; a function that is registered now runs
// after them all, because running destructors is itself the first that was registered.
[[gnu::destructor(outermost_priority)]] void unload() {
  if (on_exit(end, nullptr) != 0) end(0, nullptr);
}

}  // namespace

namespace gprof_runtime {

void keep_startup() {}

}  // namespace gprof_runtime
