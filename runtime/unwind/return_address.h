// Whether a number found on the stack may be a return address: it is behind a call, and the call's
// target is known more or less.
//
// Thread contract: functions of their arguments and of the code in memory; any signal handler.
#pragma once

#include <cstdint>

#include "runtime/system/readable.h"

namespace gprof_runtime {

enum class CallTarget : std::uint8_t {
  no_call,  // not a return address
  other,    // the call is to another function
  unknown,  // it is through a register or a table
  same,     // it is to the function at `pc`, as far as functions are known
};

// `memory`: for code, not for the stack.
CallTarget call_before(std::uint64_t return_address, std::uint64_t pc, ReadableMemory& memory);

inline bool is_behind_call(std::uint64_t address, ReadableMemory& memory) {
  return call_before(address, 0, memory) != CallTarget::no_call;
}

}  // namespace gprof_runtime
