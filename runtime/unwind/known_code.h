// Code recognised by its instructions: signal trampolines, which handlers return to, for those that
// have no usable call frame information (the vDSO's on aarch64, programs' own), and linkage stubs.
//
// Thread contract: functions of their arguments.
#pragma once

#include <cstdint>

#include "runtime/system/readable.h"
#include "runtime/unwind/unwinder.h"

namespace gprof_runtime {

// Whether `pc` points to the instructions that return from a signal handler.
bool is_signal_trampoline(std::uint64_t pc, ReadableMemory& memory);

// From the registers at the trampoline: those of the interrupted code, and the stack slot of its
// pc. False if they cannot be read.
bool read_signal_frame(const Registers& at_trampoline, ReadableMemory& memory,
                       Registers* interrupted, std::uint64_t* pc_slot);

// Whether `pc` is in a stub that jumps to a function of another object without changing the stack
// or the return address. Never true on x86-64, where linkers describe stubs in .eh_frame.
bool is_linkage_stub(std::uint64_t pc, ReadableMemory& memory);

}  // namespace gprof_runtime
