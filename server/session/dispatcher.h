// JSON-RPC 2.0 over one connection: turns messages into calls of typed handlers, and results into
// messages.
//
// Handlers are registered by method before the first message. A request's handler receives a Reply,
// which may be answered from any thread; the answer is sent from the I/O thread. A request that the
// client cancels is answered with RequestCancelled at once, and its Reply's answer is dropped.
//
// Ownership: always by shared_ptr, because answers may arrive after the session has ended and are
// then dropped. It borrows what `send` captures. The executor outlives every Reply.
// Thread contract: the I/O thread, except for the Replies it hands out.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <asio/any_io_executor.hpp>
#include <asio/dispatch.hpp>

#include "server/protocol/conversions.h"
#include "server/protocol/json_reader.h"
#include "server/protocol/json_text.h"
#include "server/protocol/reply.h"
#include "server/protocol/response_error.h"
#include "server/system/memory_reserve.h"
#include "server/system/out_of_memory.h"

namespace gprof::lsp {

// What a client may call depends on the state of the handshake.
enum class Phase : std::uint8_t { uninitialized, running, shut_down };

class Dispatcher : public std::enable_shared_from_this<Dispatcher> {
 public:
  using Send = std::function<void(std::string body)>;
  using Log = std::function<void(std::string)>;

  // Limit on open requests. No editor comes near it; a flood is refused.
  static constexpr std::size_t most_open_requests = 10'000;

  // `send` takes whole messages; `log` receives errors that the protocol has no response for.
  [[nodiscard]] static std::shared_ptr<Dispatcher> create(asio::any_io_executor io, Send send,
                                                          Log log);

  template <typename Params, typename Result>
  void on_request(const std::string& method, std::function<void(Params, Reply<Result>)> handler);
  template <typename Params>
  void on_notification(const std::string& method, std::function<void(Params)> handler);

  // Sends the client a request. `answer` is called once, on the I/O thread, or never if the session
  // ends first.
  template <typename Result, typename Params>
  void request(std::string_view method, const Params& params,
               std::function<void(Outcome<Result>)> answer);
  template <typename Params>
  void notify(std::string_view method, const Params& params) {
    send_call(method, written_text(params), nullptr);
  }

  // Handles one message as received. If memory runs out, the request is answered with an error, as
  // far as it is known which request it was.
  void receive(std::string_view message);
  // A message that could not be read; answered with a parse error, as JSON-RPC requires.
  void receive_unreadable(const std::string& problem);

  // From now on the conversation is traced to the client by $/logTrace, at this level.
  void set_trace(TraceLevel level) { trace_ = level; }
  void set_phase(Phase phase) { phase_ = phase; }
  [[nodiscard]] Phase phase() const { return phase_; }

  // The client's unanswered requests.
  [[nodiscard]] std::size_t open_requests() const { return open_.size(); }
  // Called whenever the last open request has been answered.
  void on_idle(std::function<void()> callback) { idle_ = std::move(callback); }
  // Answers every open request as if the client had cancelled it.
  void cancel_open_requests();
  // Raises every request's cancellation flag and sends nothing more.
  void stop();

 private:
  using RequestId = std::variant<std::int64_t, std::string>;
  // A result as JSON text: large ones are serialised where they were made, not on the I/O thread.
  using WrittenOutcome = std::variant<std::string, ResponseError>;
  using RequestHandler = std::function<void(const RequestId&, const Json& params)>;
  using NotificationHandler = std::function<void(const Json& params)>;
  using AnswerHandler = std::function<void(const Json* result, const Json* error)>;
  struct OpenRequest {
    std::uint64_t serial = 0;  // distinguishes a request from a later one with the same id
    std::string method;
    std::chrono::steady_clock::time_point received;
    std::shared_ptr<CancellationFlag> cancelled;
  };

  Dispatcher(asio::any_io_executor io, Send send, Log log);

  static std::optional<RequestId> read_id(const Json& json);
  static Json write_id(const RequestId& id);

  void take(std::string_view message);
  void receive_call(const Json& message, const std::string& method);
  void receive_request(const RequestId& id, const std::string& method, const Json& params);
  void receive_notification(const std::string& method, const Json& params);
  void receive_answer(const Json& message);
  void cancel(const Json& params);
  void cancel(const RequestId& id);

  OpenRequest open_request(const RequestId& id, const std::string& method);
  // `verbose` is the message's params, result or error.
  void trace(std::string message, const Json& verbose);
  void trace_text(std::string message, std::string_view verbose);
  void trace_answer(const OpenRequest& request, const RequestId& id, const WrittenOutcome& outcome);
  void answer(const RequestId& id, std::uint64_t serial, const WrittenOutcome& outcome);
  void refuse(const Json& id, ResponseCode code, std::string_view message);
  void send_call(std::string_view method, const std::string& params, AnswerHandler answer);

  asio::any_io_executor io_;
  Send send_;
  Log log_;
  std::function<void()> idle_;
  Phase phase_ = Phase::uninitialized;
  TraceLevel trace_ = TraceLevel::off;
  std::map<std::string, RequestHandler, std::less<>> requests_;
  std::map<std::string, NotificationHandler, std::less<>> notifications_;
  std::map<RequestId, OpenRequest> open_;
  std::map<std::int64_t, AnswerHandler> asked_;
  std::uint64_t last_serial_ = 0;
  std::int64_t last_asked_ = 0;
};

template <typename Params, typename Result>
void Dispatcher::on_request(const std::string& method,
                            std::function<void(Params, Reply<Result>)> handler) {
  requests_[method] = [this, method, handler = std::move(handler)](const RequestId& id,
                                                                   const Json& json) {
    auto params = read_as<Params>(json, "params");
    if (!params) return refuse(write_id(id), ResponseCode::invalid_params, params.error().message);
    const OpenRequest open = open_request(id, method);
    // An answer posted to the I/O thread may outlive this dispatcher.
    auto completion = [weak = weak_from_this(), io = io_, id,
                       serial = open.serial](Outcome<Result> outcome) {
      WrittenOutcome written;
      if (auto* error = std::get_if<ResponseError>(&outcome)) {
        written = std::move(*error);
      } else {
        try {
          written = written_text(*std::get_if<Result>(&outcome));
        } catch (const std::bad_alloc&) {
          const MemoryPatience patience;
          written = no_memory_to_answer();
        }
      }
      const MemoryPatience patience;
      asio::dispatch(io, [weak, id, serial, written = std::move(written)] {
        if (const auto self = weak.lock()) self->answer(id, serial, written);
      });
    };
    handler(std::move(*params), Reply<Result>(std::move(completion), open.cancelled));
  };
}

template <typename Params>
void Dispatcher::on_notification(const std::string& method, std::function<void(Params)> handler) {
  notifications_[method] = [this, method, handler = std::move(handler)](const Json& json) {
    auto params = read_as<Params>(json, "params");
    if (params) return handler(std::move(*params));
    log_(method + " is ignored: " + params.error().message);
  };
}

template <typename Result, typename Params>
void Dispatcher::request(std::string_view method, const Params& params,
                         std::function<void(Outcome<Result>)> answer) {
  send_call(
      method, written_text(params),
      [answer = std::move(answer)](const Json* result, const Json* error) {
        if (error) {
          auto read = read_as<ResponseError>(*error, "error");
          return answer(read ? *read
                             : ResponseError{ResponseCode::internal_error, read.error().message});
        }
        auto read = read_as<Result>(*result, "result");
        if (read) return answer(std::move(*read));
        answer(ResponseError{ResponseCode::internal_error, read.error().message});
      });
}

}  // namespace gprof::lsp
