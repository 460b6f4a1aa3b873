// Calls that come through code that is not profiled: qsort calling a comparator, libc calling main,
// a thread's start, a signal handler; and calls out of a library into the executable. The caller
// that gmon.out can name is the nearest profiled function behind that code. It is found by walking
// the stack; so that not every call pays for a walk, each thread keeps what it found, with the
// places on the stack that prove that it still holds: the position of the call's own return
// address, and the return addresses of the outermost frames passed through, the profiled caller's
// the last. A walk from the same instruction at the same stack position with the same return
// addresses in place leads to the same caller.
//
// Behind a signal handler there is no caller: the interrupted function did not call it.
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

// Counts the call if the same one was seen from the same place; false where it must be looked into.
bool count_through_known(ThreadState* thread, std::uint64_t from, std::uint64_t self,
                         std::uint64_t stack);

// Finds out where the call came from, and counts it, where that takes no rule, module or table that
// is not there yet; so it takes little stack.
bool count_through_at_hand(ThreadState* thread, const Call& call, const ModuleRecord* callee);
// The same whatever it takes. False without memory.
bool count_through(ThreadState* thread, const Call& call, const ModuleRecord* callee);

}  // namespace gprof_runtime
