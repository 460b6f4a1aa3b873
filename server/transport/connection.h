// A stream to one client, in whole messages.
//
// Thread contract: the I/O thread. All callbacks come on it, none from within a call.
// Errors: a problem of the framing does not end the connection, unless its decoder is strict; a
// failure to write does.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "server/transport/framing.h"

namespace gprof::lsp {

class Connection {
 public:
  struct Handlers {
    std::function<void(std::string body)> message;
    std::function<void(FramingProblem)> problem;
    // Once: the client sends no more, but what it is sent may still reach it. `reason` is empty
    // where the stream ended between messages.
    std::function<void(std::string reason)> input_ended;
    // Once, last: nothing goes either way. `reason` is empty where close() asked for it.
    std::function<void(std::string reason)> closed;
  };

  // What may wait to be sent. A client that asks and asks without reading is cut off.
  static constexpr std::size_t largest_backlog = std::size_t{256} << 20;

  // How long close() waits for a client that does not read.
  static constexpr std::chrono::milliseconds longest_stall{5000};

  virtual ~Connection() = default;

  // Once. Handlers are called until closed() was.
  virtual void start(Handlers handlers) = 0;
  // Messages arrive whole and in the order of the calls. After the end they are dropped.
  virtual void send(std::string body) = 0;
  // Sends what waits, as long as the client takes it, then ends the connection and calls closed().
  virtual void close() = 0;
  // Ends it at once; closed() is not called.
  virtual void abort() = 0;
  // The client has shown that it may be served.
  virtual void trust() {}
};

// Hands the frames of a decoder to the handlers.
inline void deliver(FrameDecoder& decoder, const Connection::Handlers& handlers) {
  while (auto frame = decoder.next()) {
    if (auto* body = std::get_if<std::string>(&*frame)) {
      handlers.message(std::move(*body));
    } else {
      handlers.problem(std::move(*std::get_if<FramingProblem>(&*frame)));
    }
  }
}

}  // namespace gprof::lsp
