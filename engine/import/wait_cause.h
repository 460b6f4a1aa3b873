// What a thread waited for, by the names of the functions on its stack, for recordings that say no
// more than when it was switched out.
//
// The function of the C library that the program called says it best: a wait in
// pthread_cond_wait is none for a lock, though both end in the same system call. Where that has no
// name the system call says it, and of page faults whether the kernel waited for a disk.
//
// Ownership: views are of static texts or of the frames' names. Thread contract: a pure function.
// Errors: none; what is not known is `other`, without a function.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/gmon/sidecar.h"

namespace gprof {

struct WaitingFrame {
  enum class Code : std::uint8_t { kernel, c_library, library, program };

  Code code = Code::program;
  std::string_view name;  // the linkage name; empty if it is not known
};

struct WaitCause {
  WaitKind kind = WaitKind::other;
  std::string_view function;  // as programs know it; empty if it is not known
};

// Of a function of the C library, or of a system call, by any of its names: "__GI___libc_read".
[[nodiscard]] std::optional<WaitCause> cause_of_function(std::string_view name);

// `frames`: the innermost first. None if they do not tell.
[[nodiscard]] std::optional<WaitCause> cause_of_wait(std::span<const WaitingFrame> frames);

}  // namespace gprof
