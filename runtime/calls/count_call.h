// Counts a call that the fast path did not find in the thread's table.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstdint>

#include "runtime/unwind/unwinder.h"

namespace gprof_runtime {

// Counts one call of the function that contains `self`, returning to `from`. `stack` is the address
// of the return address on the stack, or any address derived from it. `registers`: their values in
// the caller after the return (pc = from), or in a function called from there, as given by
// current_registers().
//
// Uses the current stack if everything needed is already known. Finding out the rest may take more
// room than a signal handler's stack has, and happens on the collector's own stack.
void count_call(std::uint64_t from, std::uint64_t self, std::uint64_t stack,
                const Registers& registers);

// Calls are counted while this is nonzero: gprof_control(), moncontrol().
extern std::uint8_t counting_enabled asm("gprof_runtime_counting_enabled")
    __attribute__((visibility("hidden")));

}  // namespace gprof_runtime
