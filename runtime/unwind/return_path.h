// Follows machine code from an instruction to the return of its function, and says where the
// caller's registers are: for code that has no call frame information, or wrong one.
//
// Only what changes the stack pointer, and what saves and restores registers, is understood. All
// other instructions are assumed to leave callee-saved registers as the function's return finds
// them. Of conditional branches the shorter way is taken, the next instruction; the others are
// tried where that ends. Any bytes are safe.
//
// Thread contract: functions of their arguments and of the code in memory; any signal handler.
#pragma once

#include <cstdint>

#include "runtime/system/readable.h"
#include "runtime/unwind/frame_rules.h"
#include "runtime/unwind/unwinder.h"

namespace gprof_runtime {

// A number in terms of the registers at the start of the path.
struct PathValue {
  enum class Kind : std::uint8_t {
    unknown,
    sum,     // base + offset
    loaded,  // the word at base + offset, plus `addend`
  };
  Kind kind = Kind::unknown;
  // A register, or path_cell.
  std::uint8_t base = 0;
  std::int32_t offset = 0;
  std::int32_t addend = 0;

  bool operator==(const PathValue&) const = default;
};

// As a base: the word that ReturnPath::cell says, which the stack pointer was restored from.
inline constexpr std::uint8_t path_cell = register_count;

struct ReturnPath {
  PathValue cell;
  // At the return: the registers, among them the stack pointer.
  PathValue registers[register_count];
  // x86-64: of the return address on the stack. aarch64: registers[30] is the return address.
  PathValue stack() const { return registers[stack_register]; }
};

// False if the path is not found.
bool find_return_path(std::uint64_t pc, ReturnPath* path);

// The caller's registers, its pc included; `slot`: where the return address is, 0 for a register.
// False if memory that they are in cannot be read.
bool evaluate_path(const ReturnPath& path, const Registers& registers, ReadableMemory& memory,
                   Registers* caller, std::uint64_t* slot);

// The path as rules of frames; false if they cannot express it.
bool rules_of_path(const ReturnPath& path, FrameRules* rules);

}  // namespace gprof_runtime
