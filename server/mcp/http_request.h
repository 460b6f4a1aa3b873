// One HTTP/1.1 request, as far as MCP needs it (RFC 9112): a request line, header fields, and a
// body of Content-Length bytes.
//
// Ours and not a library's: asio has none, and Debian's cpp-httplib is a shared library, which the
// static program cannot hold. Names of header fields are compared without regard to case. Thread
// contract: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gprof::lsp {

struct HttpRequest {
  std::string method;
  std::string target;
  bool keeps_alive = true;
  std::vector<std::pair<std::string, std::string>> fields;  // names in lower case

  // Null if there is none.
  [[nodiscard]] const std::string* field(std::string_view name) const;
};

inline constexpr std::size_t largest_http_header = 16'384;
inline constexpr std::size_t largest_http_body = std::size_t{4} << 20;

// `head`: everything before the body, with the empty line. None if it is malformed.
[[nodiscard]] std::optional<HttpRequest> parse_http_request(std::string_view head);
// None if it is missing or malformed. It may exceed the limit.
[[nodiscard]] std::optional<std::size_t> content_length(const HttpRequest& request);

// A header field as MCP encodes what is no plain ASCII: "=?base64?…?=" is decoded. None if that is
// malformed.
[[nodiscard]] std::optional<std::string> decoded_field(std::string_view value);

}  // namespace gprof::lsp
