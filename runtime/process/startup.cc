// What runs when the library is loaded and when the process ends.
#include "runtime/process/hooks.h"
#include "runtime/process/lifecycle.h"
#include "runtime/sampling/sampler.h"
#include "runtime/system/libc_functions.h"

// Defined by LeakSanitizer; null in a program without it.
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
// LeakSanitizer's library looks for leaks in its destructor, which runs after this one: it stops
// all threads and searches each stack from the stack pointer up. While a thread is being sampled,
// its stack pointer is in the collector's own stack, so its whole stack would be searched, and
// stale pointers below its frames would hide leaks. A sanitizer that is linked into the program
// runs earlier and is not covered.
[[gnu::destructor(outermost_priority)]] void unload() {
  if (__lsan_do_leak_check != nullptr) gprof_runtime::sampler::stop();
  if (gprof_runtime::register_on_exit(end, nullptr) != 0) end(0, nullptr);
}

}  // namespace

namespace gprof_runtime {

void keep_startup() {}

}  // namespace gprof_runtime
