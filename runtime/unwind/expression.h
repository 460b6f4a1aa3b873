// Evaluates the DWARF expressions of call frame information.
//
// Any bytes are safe: only readable memory is read, and the number of operations is bounded.
// Thread contract: a function of its arguments.
#pragma once

#include <cstdint>

#include "runtime/system/readable.h"
#include "runtime/unwind/byte_cursor.h"
#include "runtime/unwind/unwinder.h"

namespace gprof_runtime {

// `cfa` is the first value on the expression's stack; null for none (when computing the CFA
// itself). False if the expression has no value.
bool evaluate(Bytes expression, const Registers& registers, ReadableMemory& memory,
              const std::uint64_t* cfa, std::uint64_t* value);

}  // namespace gprof_runtime
