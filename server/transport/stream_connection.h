// A connection over a socket: TCP or a Unix domain socket.
//
// Ownership: owns the socket; lives as long as an operation is pending.
// Thread contract: as for Connection.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <system_error>

#include <asio/generic/stream_protocol.hpp>
#include <asio/steady_timer.hpp>

#include "server/transport/connection.h"

namespace gprof::lsp {

class StreamConnection : public Connection, public std::enable_shared_from_this<StreamConnection> {
 public:
  using Socket = asio::generic::stream_protocol::socket;

  // With Framing::strict, messages are limited in size until trust().
  explicit StreamConnection(Socket socket, Framing framing = Framing::forgiving)
      : socket_(std::move(socket)), stall_(socket_.get_executor()), decoder_(framing) {
    if (framing == Framing::strict) decoder_.limit_messages(largest_of_strangers);
  }

  void start(Handlers handlers) override;
  void send(std::string body) override;
  void close() override;
  void abort() override;
  void trust() override { decoder_.limit_messages(FrameDecoder::largest_message); }

 private:
  // An `initialize` takes some ten thousand bytes.
  static constexpr std::uint64_t largest_of_strangers = std::uint64_t{1} << 20;

  // Ends the connection where memory is missing for a step: the next would never come.
  template <typename Step>
  void or_finish(const Step& step);
  void acknowledge();
  void read();
  void take(std::size_t size);
  void end_input(std::error_code error);
  void queue(std::string message);
  void write();
  void finish(std::string reason);

  Socket socket_;
  asio::steady_timer stall_;
  Handlers handlers_;
  FrameDecoder decoder_;
  std::array<char, 65536> buffer_{};
  std::deque<std::string> waiting_;  // the first is being written
  std::size_t backlog_ = 0;          // bytes in waiting_
  bool closing_ = false;
  bool finished_ = false;
};

}  // namespace gprof::lsp
