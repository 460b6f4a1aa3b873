// Addresses of Unix domain sockets.
//
// Thread contract: pure functions.
#pragma once

#include <string>

#include "engine/support/expected.h"

namespace gprof::lsp {

// Fails with invalid_argument for a path that does not fit into sockaddr_un.
[[nodiscard]] inline Expected<void> check_socket_path(const std::string& path) {
  constexpr std::size_t longest_path = 107;
  if (path.size() <= longest_path) return {};
  return Error{ErrorCode::invalid_argument, "the path of a socket has at most 107 bytes", path, {}};
}

}  // namespace gprof::lsp
