// Distinct call stacks with counts, of each slot, in the live file.
//
// A stack is the sampled place, exact, and then the places to which the frames return, outermost
// last. Where a signal handler was running, the place that it interrupted follows the handler's
// frames: exact as well, an instruction and not a return address. The frames through which the
// kernel lets handlers return are left out. Stacks of more frames than are stored have marks
// (unwind/walked_stack.h).
//
// A walk ends where it meets the one before, so that a sample costs what has changed on the stack
// since, however deep that is. The first walk of a deep stack is as long as the stack; how many
// such walks there may be is bounded, and walks beyond it are short and say that callers are
// missing.
//
// Thread contract: the sample handler of the thread that holds the slot; others may read the
// chunks.
#pragma once

#include <cstdint>

#include "runtime/process/thread_state.h"
#include "runtime/unwind/unwinder.h"

namespace gprof_runtime::sampler {

// Walks the stack from the registers and counts it. False where there is no memory for a stack that
// was not seen before.
bool count_stack(ThreadState* thread, const Registers& registers, std::uint64_t epoch,
                 std::uint64_t weight);

// Frees what is not in the live file, and empties the table.
void drop_stack_table(ThreadState* thread);

}  // namespace gprof_runtime::sampler
