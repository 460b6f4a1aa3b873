// What happens to a call that the fast path does not find in the thread's table.
//
// Thread contract: any thread, any signal handler.
#pragma once

#include <cstdint>

#include "runtime/unwind/unwinder.h"

namespace gprof_runtime {

// One call of the function that holds `self`, which returns to `from`. `stack` is where on the
// stack the return address is, or any address that is a function of it. `registers`: as they are in
// the caller after the return (pc = from), or at an instruction of a function that was called from
// there, as current_registers() has them.
//
// It is counted on the stack that there is where everything needed is known; what is not takes more
// room than a signal handler's stack may have, and is found out on the collector's own.
void count_call(std::uint64_t from, std::uint64_t self, std::uint64_t stack,
                const Registers& registers);

// Calls are counted while this is not 0: gprof_control(), moncontrol().
extern std::uint8_t counting_enabled asm("gprof_runtime_counting_enabled")
    __attribute__((visibility("hidden")));

}  // namespace gprof_runtime
