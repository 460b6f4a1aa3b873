// Waits for clients on a TCP port or a Unix domain socket.
//
// Clients on a Unix domain socket are the user's own: only the owner may access it, and peers with
// another user id are rejected. If the system lacks descriptors or memory for another connection,
// waiting clients are accepted later.
// Ownership: owns the socket, and the file of a Unix domain socket, which it removes at the end.
// Thread contract: the I/O thread. Errors: unreadable, with the system's reason.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

#include <asio/any_io_executor.hpp>
#include <asio/basic_socket_acceptor.hpp>
#include <asio/generic/stream_protocol.hpp>
#include <asio/steady_timer.hpp>

#include "engine/support/expected.h"
#include "engine/support/input_file.h"

namespace gprof::lsp {

class Listener {
 public:
  using Socket = asio::generic::stream_protocol::socket;
  struct Handlers {
    // `is_near`: the client's process runs on this machine.
    std::function<void(Socket socket, bool is_near)> accepted;
    // Why clients are kept waiting, or which one was rejected; one sentence.
    std::function<void(const std::string&)> trouble;
  };

  // Port 0: the system chooses one.
  static Expected<std::unique_ptr<Listener>> on_port(const asio::any_io_executor& io,
                                                     const std::string& host, std::uint16_t port);
  // A socket left behind by a server is replaced. Any other file with that name is kept, and so is
  // a socket in use.
  static Expected<std::unique_ptr<Listener>> on_path(const asio::any_io_executor& io,
                                                     const std::string& path);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // For clients: HOST:PORT, or unix:PATH.
  [[nodiscard]] const std::string& address() const { return address_; }

  // Call once.
  void start(Handlers handlers);
  // Accepts no more clients.
  void stop();

 private:
  static constexpr std::chrono::milliseconds shortest_pause{50};
  static constexpr std::chrono::milliseconds longest_pause{1000};

  explicit Listener(const asio::any_io_executor& io) : acceptor_(io), pause_timer_(io) {}

  Expected<void> bind_to(const std::string& path);
  void accept();
  void take(Socket socket);
  void pause(std::error_code reason);

  asio::basic_socket_acceptor<asio::generic::stream_protocol> acceptor_;
  asio::steady_timer pause_timer_;
  std::string address_;
  std::string path_;                // of a Unix domain socket
  std::optional<FileStamp> stamp_;  // of its file: another file with that name is not removed
  Handlers handlers_;
  std::chrono::milliseconds pause_ = shortest_pause;
};

}  // namespace gprof::lsp
