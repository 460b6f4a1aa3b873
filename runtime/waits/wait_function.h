// The functions that wait, by number.
//
// Thread contract: constants.
#pragma once

#include <cstdint>

#include "formats/sidecar.h"

namespace gprof_runtime::waits {

using gprof_formats::WaitKind;

enum class Function : std::uint16_t {
#define WAIT_FUNCTION(name, kind, measured) name,
#define WAIT_FUNCTION_AS(name, shown, kind, measured) name,
#include "runtime/waits/wait_functions.inc"
#undef WAIT_FUNCTION
#undef WAIT_FUNCTION_AS
  in_table,  // that many have an entry of their own
  // Calls by syscall(), whose entry is process/filter_hooks.cc's.
  futex = in_table,
  io_uring_enter,
  count,
};

constexpr std::uint32_t number_of(Function function) {
  return static_cast<std::uint32_t>(function);
}
inline constexpr std::uint32_t table_size = number_of(Function::in_table);
inline constexpr std::uint32_t function_count = number_of(Function::count);

struct FunctionFacts {
  const char* name;   // by which it is looked up
  const char* shown;  // by which programs know it
  WaitKind kind;
};

inline constexpr FunctionFacts function_facts[function_count] = {
#define WAIT_FUNCTION(name, kind, measured) {#name, #name, WaitKind::kind},
#define WAIT_FUNCTION_AS(name, shown, kind, measured) {#name, #shown, WaitKind::kind},
#include "runtime/waits/wait_functions.inc"
#undef WAIT_FUNCTION
#undef WAIT_FUNCTION_AS
    {"", "futex", WaitKind::other},
    {"", "io_uring_enter", WaitKind::io},
};

constexpr const FunctionFacts& facts_of(Function function) {
  return function_facts[number_of(function)];
}

}  // namespace gprof_runtime::waits
