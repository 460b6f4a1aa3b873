// The command line of the server itself.
//
// Thread contract: values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/cli/option_table.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

struct StandardStreams {};
// The client listens on a Unix domain socket with this path.
struct PipeClient {
  std::string path;
};
// The client listens on this port of the loopback address.
struct SocketClient {
  std::uint16_t port = 0;
};
// The server listens for any number of clients. Port 0: the system chooses one.
struct SocketServer {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
};
// `[HOST:]PORT`; an IPv6 address is in brackets.
[[nodiscard]] std::optional<SocketServer> parse_socket_place(std::string_view text);
// The same on a Unix domain socket with this path.
struct PipeServer {
  std::string path;
};
using Transport = std::variant<StandardStreams, PipeClient, SocketClient, SocketServer, PipeServer>;

// Options of a listening server.
struct ListenOptions {
  // What its clients may see; empty: the working directory.
  std::vector<std::string> folders;
  std::string token_file;  // empty: the token is printed
  std::size_t most_clients = 32;
};

struct ServeOptions {
  Transport transport;
  ListenOptions listen;
  std::optional<std::int64_t> client_process;
  std::string log_file;                 // empty: none
  LogLevel log_level = LogLevel::info;  // of the log file
  std::string configuration_file;       // empty: none
};
[[nodiscard]] CommandSyntax serve_syntax(ServeOptions& options);

}  // namespace gprof::lsp
