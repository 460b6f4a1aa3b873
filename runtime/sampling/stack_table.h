// Distinct call stacks, and counts of them by thread and slice of time, per slot, in the live file.
//
// A stack is the exact sampled place followed by the frames' return addresses, outermost last. If a
// signal handler was running, the place that it interrupted follows the handler's frames: again the
// exact instruction, not a return address. Signal trampolines are left out. Stacks with more frames
// than are stored have marks (unwind/walked_stack.h).
//
// A walk ends where it meets the previous one, so that a sample costs only what has changed on the
// stack since, however deep it is. The first walk of a deep stack is as long as the stack; the
// number of such walks is bounded, and further walks are short and marked as truncated.
//
// Stacks of calls that wait are in the same table, but not in those counts: they begin with the
// last byte of the call.
//
// Thread contract: the thread that holds the slot, on its own stack with every signal blocked;
// others may read the chunks.
#pragma once

#include <cstdint>

#include "runtime/process/thread_state.h"
#include "runtime/unwind/unwinder.h"

namespace gprof_runtime::sampler {

// Walks the stack from the registers and counts it. `elapsed`: the time of the sample. False if
// there is no memory for a new stack.
bool count_stack(ThreadState* thread, const Registers& registers, std::uint64_t epoch,
                 std::uint64_t weight, std::uint64_t elapsed);

// The stack of the code that a signal interrupted, which the registers are in; null if there is no
// memory for a new one. Its count is not changed.
StackRecord* find_interrupted_stack(ThreadState* thread, const Registers& registers,
                                    std::uint64_t epoch);

// The stack of the code that called the collector, which the registers are in; null if there is no
// memory for a new one or nobody called. Its count is not changed.
StackRecord* find_calling_stack(ThreadState* thread, const Registers& registers,
                                std::uint64_t epoch);

// The stack of what has no place: one frame with the address 0. Null if there is no memory.
StackRecord* find_placeless_stack(ThreadState* thread);

// Empties the table and frees its memory outside the live file.
void drop_stack_table(ThreadState* thread);

}  // namespace gprof_runtime::sampler
