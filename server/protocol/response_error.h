// The error of a response.
#pragma once

#include <cstdint>
#include <string>

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

struct ResponseError {
  // Any number when it comes from a client.
  ResponseCode code = ResponseCode::internal_error;
  std::string message;
};

}  // namespace gprof::lsp
