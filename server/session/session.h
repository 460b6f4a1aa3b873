// One client from the first byte to the last: its connection, its dispatcher, its language server.
//
// Ownership: owns all three; held by the server until `ended` was called.
// Thread contract: the I/O thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>

#include "server/session/dispatcher.h"
#include "server/session/language_server.h"
#include "server/transport/connection.h"

namespace gprof::lsp {

class Session : public std::enable_shared_from_this<Session> {
 public:
  // Called once, posted, with the exit code.
  using Ended = std::function<void(int exit_code)>;

  Session(const asio::any_io_executor& io, std::shared_ptr<Connection> connection,
          std::unique_ptr<ProfileService> service, LanguageServerOptions options, Ended ended);
  ~Session();

  void start();
  // Ends the session without waiting for the client.
  void stop();
  // Whether `initialize` was answered.
  [[nodiscard]] bool has_shaken_hands() const;

 private:
  void input_ended(const std::string& reason);
  void finish_connection();
  void report(LogLevel level, const std::string& text) const;

  asio::any_io_executor io_;
  std::shared_ptr<Connection> connection_;
  std::shared_ptr<Dispatcher> dispatcher_;
  LogFile* log_;
  Ended ended_;
  asio::steady_timer answer_wait_;
  std::unique_ptr<LanguageServer> server_;
  bool finishing_ = false;
};

}  // namespace gprof::lsp
