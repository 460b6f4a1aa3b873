// Calls via uninstrumented code (qsort calling a comparator, libc calling main, a thread's start, a
// signal handler) and calls from a library into the executable. The caller that gmon.out can name
// is the nearest profiled function further up the stack, found by walking the stack. So that not
// every call pays for a walk, each thread caches the result together with the stack contents that
// prove it still valid: the position of the call's own return address, and the return addresses of
// the outermost frames passed through, the profiled caller's last. A walk from the same instruction
// at the same stack position with the same return addresses in place leads to the same caller.
//
// A signal handler has no caller: the interrupted function did not call it.
//
// Thread contract: the thread whose state is given, and signal handlers that interrupt it.
#pragma once

#include <cstdint>

#include "formats/live_file.h"
#include "runtime/process/thread_state.h"
#include "runtime/unwind/unwinder.h"

namespace gprof_runtime {

using namespace gprof_formats;

struct Call {
  std::uint64_t from;
  std::uint64_t self;
  std::uint64_t stack;  // see count_call()
  const Registers* registers;
};

// Counts the call if the cache has its origin; otherwise returns false.
bool count_through_known(ThreadState* thread, std::uint64_t from, std::uint64_t self,
                         std::uint64_t stack);

// Finds the call's origin and counts the call if that takes no new rule, module or table, and so
// little stack; otherwise returns false.
bool count_through_at_hand(ThreadState* thread, const Call& call, const ModuleRecord* callee);
// The same, creating what is missing. False if out of memory.
bool count_through(ThreadState* thread, const Call& call, const ModuleRecord* callee);

}  // namespace gprof_runtime
