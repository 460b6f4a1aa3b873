// A connection to one client, in whole messages.
//
// Thread contract: the I/O thread. All callbacks run on it, none from within a call.
// Errors: a framing problem does not end the connection unless its decoder is strict; a write
// failure does.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "server/transport/framing.h"

namespace gprof::lsp {

class Connection {
 public:
  struct Handlers {
    std::function<void(std::string body)> message;
    std::function<void(FramingProblem)> problem;
    // Called once: the client sends no more, but may still receive. `reason` is empty if the stream
    // ended between messages.
    std::function<void(std::string reason)> input_ended;
    // Called once, last: both directions are closed. `reason` is empty after close().
    std::function<void(std::string reason)> closed;
  };

  // Limit on unsent bytes. A client that keeps asking without reading is disconnected.
  static constexpr std::size_t largest_backlog = std::size_t{256} << 20;

  // How long close() waits for a client that does not read.
  static constexpr std::chrono::milliseconds longest_stall{5000};

  virtual ~Connection() = default;

  // Call once. Handlers are called until closed() was.
  virtual void start(Handlers handlers) = 0;
  // Messages arrive whole and in call order. After the end they are dropped.
  virtual void send(std::string body) = 0;
  // Sends what is queued, as long as the client reads, then ends the connection and calls closed().
  virtual void close() = 0;
  // Ends it at once; closed() is not called.
  virtual void abort() = 0;
  // The client has authenticated itself.
  virtual void trust() {}
};

// Why a connection ends that lacked memory: what it was about to read or write is lost, and a
// client would wait for it for ever.
inline constexpr std::string_view no_memory_for_client =
    "there is not enough memory for this client";

// Passes the frames of a decoder to the handlers.
inline void deliver(MessageDecoder& decoder, const Connection::Handlers& handlers) {
  while (auto frame = decoder.next()) {
    if (auto* body = std::get_if<std::string>(&*frame)) {
      handlers.message(std::move(*body));
    } else {
      handlers.problem(std::move(*std::get_if<FramingProblem>(&*frame)));
    }
  }
}

}  // namespace gprof::lsp
