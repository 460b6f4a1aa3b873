// Code that is recognised by its instructions. First the frame that the kernel makes to run a
// signal handler, by what the handler returns to: for trampolines without call frame information:
// that of the kernel's vDSO on aarch64, and those of programs that bring their own.
//
// Thread contract: functions of their arguments.
#pragma once

#include <cstdint>

#include "runtime/unwind/readable.h"
#include "runtime/unwind/unwinder.h"

namespace gprof_runtime {

// Whether `pc` is at the instructions that return from a signal handler.
bool is_signal_trampoline(std::uint64_t pc, ReadableMemory& memory);

// With registers as they are at the trampoline: those of the code that the signal interrupted, and
// where the stack holds its pc. False where they cannot be read.
bool read_signal_frame(const Registers& at_trampoline, ReadableMemory& memory,
                       Registers* interrupted, std::uint64_t* pc_slot);

// Whether `pc` is in a stub that jumps on to a function of another object, and leaves the stack and
// the return address as they are. On x86-64 linkers describe them in .eh_frame: never true there.
bool is_linkage_stub(std::uint64_t pc, ReadableMemory& memory);

}  // namespace gprof_runtime
