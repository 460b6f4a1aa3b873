// Decodes x86-64 instructions as far as code analysis needs: lengths, opcodes, and operands that
// are registers or memory at a register plus a displacement.
//
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 and
// appendix A. Thread contract: functions of their arguments.
#pragma once

#include <cstdint>

namespace gprof_runtime::x86 {

inline constexpr unsigned longest_instruction = 15;

inline constexpr std::uint8_t no_register = 0xff;

struct Instruction {
  std::uint8_t length = 0;
  std::uint8_t map = 0;  // 0: one-byte opcodes, 1: 0F, 2: 0F 38, 3: 0F 3A
  std::uint8_t opcode = 0;
  bool vector_encoding = false;     // VEX or EVEX: not one of the opcodes above
  bool wide = false;                // REX.W: operands of 64 bits
  bool narrow = false;              // 66: operands of 16 bits
  bool repeated = false;            // F2 or F3
  bool segment = false;             // FS or GS
  bool has_operands = false;        // a ModRM byte
  bool in_memory = false;           // the operand `rm` is memory
  std::uint8_t reg = 0;             // register, or the opcode's extension
  std::uint8_t rm = 0;              // register, if it is not in_memory
  std::uint8_t base = no_register;  // of the memory operand; also for addresses relative to pc
  bool indexed = false;
  bool pc_relative = false;
  std::int32_t displacement = 0;
  std::int64_t immediate = 0;  // the last one
};

// Decodes the instruction at `bytes`, of which longest_instruction can be read. False if it is not
// a valid one.
bool decode(const std::uint8_t* bytes, Instruction* instruction);

}  // namespace gprof_runtime::x86
