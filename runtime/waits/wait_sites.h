// Where a thread was when it waited or took a lock, as the number of its stack.
//
// A walk takes about a microsecond, which is much beside a lock that is taken at once, or a short
// wait. Such a call takes the stack of an earlier one from the same place with the same stack
// pointer, if the return addresses of its next callers are where they were: callers further out may
// have changed.
//
// Thread contract: the thread that holds the slot.
#pragma once

#include <cstdint>

#include "runtime/process/thread_state.h"
#include "runtime/unwind/unwinder.h"

namespace gprof_runtime::waits {

// A call: its return address, and an address in the frame of a function of the collector that
// always lies as far below it.
struct Site {
  std::uint64_t place;
  std::uint64_t frame;
};

// What is known of the site; null if it is not known, or was called by somebody else.
WaitSite* find_site(ThreadState* thread, const Site& site);

// Walks the stack of the code that called the collector, from the registers, and remembers it for
// the site. On the own stack, with every signal blocked. Null if there is no memory.
WaitSite* walk_to_site(ThreadState* thread, const Registers& registers, const Site& site);

}  // namespace gprof_runtime::waits
