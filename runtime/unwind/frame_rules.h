// The rules of call frame information: how to compute the caller's registers at a given instruction
// of a function. Obtained by running the two small programs that .eh_frame has for a function.
//
// Reads only the bytes it is given; arbitrary bytes yield some rules or an error, nothing worse.
// Thread contract: values.
#pragma once

#include <cstdint>

#include "runtime/unwind/byte_cursor.h"
#include "runtime/unwind/unwinder.h"

namespace gprof_runtime {

// Columns of the rule table: registers by their DWARF numbers, and the return address, which has
// its own column on x86-64.
#if defined(__x86_64__)
inline constexpr unsigned return_column = 16;
inline constexpr unsigned column_count = 17;
#else
inline constexpr unsigned return_column = 30;
inline constexpr unsigned column_count = 32;
#endif

enum class RuleKind : std::uint8_t {
  unchanged,         // the caller's value is still in the register, or there is no rule
  undefined,         // it is lost; of the return address: there is no caller
  saved_at_offset,   // in memory, at CFA + value
  offset_from_cfa,   // it is CFA + value
  in_register,       // in the register `value`
  saved_at_address,  // in memory, at the expression's value
  computed,          // it is the expression's value
};

struct RegisterRule {
  RuleKind kind;
  std::int32_t value;  // expressions: offset of the length in FramePrograms::section
};

// The canonical frame address (CFA) is the stack pointer's value before the call. No member
// initialisers, since the interpreter rarely uses all the FrameRules that it reserves; FrameRules{}
// leaves registers unchanged, and its CFA is the value of register 0.
struct FrameRules {
  bool cfa_is_expression;
  std::uint32_t cfa_register;
  std::int32_t cfa_offset;  // or the expression's place
  RegisterRule columns[column_count];
};

struct FramePrograms {
  Bytes section;  // contains the programs and their expressions; at most 2 GiB
  // [begin, end) in `section` of the CIE's program and of the function's own.
  std::uint32_t common_begin = 0;
  std::uint32_t common_end = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint64_t code_alignment = 1;
  std::int64_t data_alignment = 1;
  std::uint64_t first_address = 0;  // of the function's code
  std::uint8_t address_encoding = pointer_encoding::absolute;
};

// The rules at `address`. False if the programs are invalid.
bool rules_at(const FramePrograms& programs, std::uint64_t address, FrameRules* rules);

// The bytes of the expression that a rule refers to; empty if there is none.
Bytes expression_at(Bytes section, std::int32_t place);

}  // namespace gprof_runtime
