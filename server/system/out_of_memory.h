// Errors for running out of memory. std::bad_alloc is caught at the end of a load or a request, so
// that only this load or request fails.
//
// Thread contract: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "engine/support/expected.h"
#include "server/protocol/response_error.h"

namespace gprof::lsp {

inline constexpr std::string_view no_memory_for_program =
    "not enough memory for this program and its profiles; allow the process more (ulimit, control "
    "group)";

// `path`: what was being read; may be empty.
[[nodiscard]] inline Error no_memory_to_load(std::string path) {
  return {ErrorCode::unreadable, std::string(no_memory_for_program), std::move(path), {}};
}

[[nodiscard]] inline ResponseError no_memory_to_answer() {
  return {ResponseCode::request_failed,
          "not enough memory to answer this; allow the server more (ulimit, control group)"};
}

}  // namespace gprof::lsp
