// MCP's Streamable HTTP on a port of this machine: each message is a POST of its own to /mcp, and
// is answered by a JSON object, or by an event stream where progress comes first (specification
// 2026-07-28, basic/transports/streamable-http). Clients of earlier revisions are served without
// sessions, which these allow.
//
// Only a client with the token is served, and none that a web page has sent: a request with the
// Origin of another site is refused. A client that closes its connection cancels its request.
// Ownership: borrows the server. Thread contract: the I/O thread. Errors: unreadable, where the
// port cannot be had.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <asio/any_io_executor.hpp>

#include "engine/support/expected.h"
#include "server/mcp/mcp_server.h"
#include "server/transport/access_token.h"

namespace gprof::lsp {

class HttpTransport {
 public:
  // Port 0: the system chooses one.
  static Expected<std::unique_ptr<HttpTransport>> on_port(const asio::any_io_executor& io,
                                                          const std::string& host,
                                                          std::uint16_t port, McpServer& server,
                                                          std::shared_ptr<const AccessToken> token);
  ~HttpTransport();
  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;

  // "http://127.0.0.1:8123/mcp"
  [[nodiscard]] const std::string& address() const;
  // Accepts no more clients, and ends what is open.
  void stop();

 private:
  class Acceptor;
  explicit HttpTransport(std::shared_ptr<Acceptor> acceptor);

  std::shared_ptr<Acceptor> acceptor_;
};

}  // namespace gprof::lsp
