// The rules of call frame information: how to find the caller's registers from a function's, at one
// of its instructions. Made by running the two small programs that .eh_frame keeps of a function.
//
// Reads nothing but the bytes it is given: random ones give rules or a refusal, never more.
// Thread contract: values.
#pragma once

#include <cstdint>

#include "runtime/unwind/byte_cursor.h"
#include "runtime/unwind/unwinder.h"

namespace gprof_runtime {

// Columns of the table of rules: registers by their DWARF numbers, and the return address, which on
// x86-64 has a column of its own.
#if defined(__x86_64__)
inline constexpr unsigned return_column = 16;
inline constexpr unsigned column_count = 17;
#else
inline constexpr unsigned return_column = 30;
inline constexpr unsigned column_count = 32;
#endif

enum class RuleKind : std::uint8_t {
  unchanged,         // the caller's value is still in the register, or nothing was said
  undefined,         // it is lost; of the return address: there is no caller
  saved_at_offset,   // in memory, at CFA + value
  offset_from_cfa,   // it is CFA + value
  in_register,       // it is in the register `value`
  saved_at_address,  // in memory, where the expression says
  computed,          // the expression gives it
};

struct RegisterRule {
  RuleKind kind;
  std::int32_t value;  // of expressions: where in FramePrograms::section its length stands
};

// The canonical frame address (CFA) is what the stack pointer was before the call. Without initial
// values, since the interpreter has room for more of them than it mostly needs; FrameRules{} has
// nothing unusual in it but a CFA that is a register's plain value.
struct FrameRules {
  bool cfa_is_expression;
  std::uint32_t cfa_register;
  std::int32_t cfa_offset;  // or where the expression is
  RegisterRule columns[column_count];
};

struct FramePrograms {
  Bytes section;  // what holds the programs and their expressions; at most 2 GiB
  // [begin, end) in `section`: of what goes for all functions of the common entry, and of the
  // function itself.
  std::uint32_t common_begin = 0;
  std::uint32_t common_end = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint64_t code_alignment = 1;
  std::int64_t data_alignment = 1;
  std::uint64_t first_address = 0;  // of the function's code
  std::uint8_t address_encoding = pointer_encoding::absolute;
};

// The rules at `address`. False where the programs make no sense.
bool rules_at(const FramePrograms& programs, std::uint64_t address, FrameRules* rules);

// The bytes of an expression that a rule refers to; empty where there is none.
Bytes expression_at(Bytes section, std::int32_t place);

}  // namespace gprof_runtime
