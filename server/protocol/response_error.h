// The error of a response.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "server/protocol/enumeration.h"

namespace gprof::lsp {

// JSON-RPC 2.0 and LSP 3.17.
enum class ResponseCode : std::int32_t {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  server_not_initialized = -32002,
  request_failed = -32803,
  content_modified = -32801,
  request_cancelled = -32800,
};
// Any number when it comes from a client.
template <>
inline constexpr NumberRange wire_numbers<ResponseCode> = {
    std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};

struct ResponseError {
  ResponseCode code = ResponseCode::internal_error;
  std::string message;

  static void fields(auto& visit, auto& self) {
    visit("code", self.code);
    visit("message", self.message);
  }
};

}  // namespace gprof::lsp
