// What runs when the library is loaded and when the process ends.
#include "runtime/process/hooks.h"
#include "runtime/process/lifecycle.h"
#include "runtime/sampling/sampler.h"
#include "runtime/system/libc_functions.h"

// Of the leak sanitizer, where the program has it.
extern "C" [[gnu::weak]] void __lsan_do_leak_check();

namespace {

// Runs first among the constructors and last among the destructors of the binary that the collector
// is linked into, so that calls from the others are counted.
constexpr int outermost_priority = 101;

[[gnu::constructor(outermost_priority)]] void load() {
  gprof_runtime::keep_exit_hooks();
  gprof_runtime::keep_exec_hooks();
  gprof_runtime::keep_root_hooks();
  gprof_runtime::keep_block_hooks();
  gprof_runtime::load_once();
}

void end(int status, void* /*nothing*/) {
  gprof_runtime::finish(gprof_runtime::Ending::returned, status, true);
}

// Destructors of other libraries may run after this one; a function registered now runs after them
// all, because the function that runs destructors was registered first.
//
// The destructor of the leak sanitizer's library stops all threads and looks for addresses above
// their stack pointers. Of a thread that is just being sampled, whose stack pointer is in the
// collector's own stack, it would search the whole stack, and what former calls left there would
// hide leaks. (Linked into the program, it comes before this.)
[[gnu::destructor(outermost_priority)]] void unload() {
  if (__lsan_do_leak_check != nullptr) gprof_runtime::sampler::stop();
  if (gprof_runtime::register_on_exit(end, nullptr) != 0) end(0, nullptr);
}

}  // namespace

namespace gprof_runtime {

void keep_startup() {}

}  // namespace gprof_runtime
