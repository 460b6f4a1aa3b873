#include "server/session/dispatcher.h"

#include <limits>

#include <fmt/format.h>

#include "server/system/memory_reserve.h"

namespace gprof::lsp {
namespace {

// Of a message's text in a trace.
constexpr std::size_t longest_trace = 8192;

std::string text_of(const std::variant<std::int64_t, std::string>& id) {
  const auto* number = std::get_if<std::int64_t>(&id);
  return number ? fmt::format("{}", *number) : *std::get_if<std::string>(&id);
}

const Json no_params;  // null: a message may leave its params out

// Refuses calls that the handshake's state does not allow.
std::optional<ResponseError> refused_by(Phase phase, std::string_view method) {
  switch (phase) {
    case Phase::uninitialized:
      if (method == "initialize") return std::nullopt;
      return ResponseError{ResponseCode::server_not_initialized,
                           fmt::format("{} came before initialize", method)};
    case Phase::shut_down:
      return ResponseError{ResponseCode::invalid_request,
                           fmt::format("{} came after shutdown: only exit may follow", method)};
    case Phase::running:
      break;
  }
  if (method == "initialize") {
    return ResponseError{ResponseCode::invalid_request, "initialize may be sent only once"};
  }
  return std::nullopt;
}

}  // namespace

std::shared_ptr<Dispatcher> Dispatcher::create(asio::any_io_executor io, Send send, Log log) {
  return std::shared_ptr<Dispatcher>(
      new Dispatcher(std::move(io), std::move(send), std::move(log)));
}

Dispatcher::Dispatcher(asio::any_io_executor io, Send send, Log log)
    : io_(std::move(io)), send_(std::move(send)), log_(std::move(log)) {}

void Dispatcher::receive(std::string_view message) {
  // What takes much is done by workers. Of a large message, memory may lack for the message itself.
  constexpr std::size_t small = std::size_t{64} << 10;
  renew_memory_reserve();
  try {
    std::optional<MemoryPatience> patience;
    if (message.size() <= small) patience.emplace();
    take(message);
  } catch (const std::bad_alloc&) {
    const MemoryPatience patience;
    const ResponseError error = no_memory_to_answer();
    refuse(nullptr, error.code, error.message);
  }
}

void Dispatcher::take(std::string_view message) {
  const auto json = parse_json(message);
  if (!json) return receive_unreadable(json.error().message);
  if (json->is_array()) {
    return refuse(nullptr, ResponseCode::invalid_request,
                  "batches are no part of the protocol: send one message at a time");
  }
  if (!json->is_object()) {
    return refuse(nullptr, ResponseCode::invalid_request, "a message must be an object");
  }
  const auto method = json->find("method");
  if (method == json->end()) return receive_answer(*json);
  if (!method->is_string()) {
    return refuse(nullptr, ResponseCode::invalid_request, "method: expected a string");
  }
  receive_call(*json, method->get<std::string>());
}

void Dispatcher::receive_unreadable(const std::string& problem) {
  refuse(nullptr, ResponseCode::parse_error, problem);
}

void Dispatcher::receive_call(const Json& message, const std::string& method) {
  const auto id = message.find("id");
  const auto id_of_answer = id == message.end() ? std::nullopt : read_id(*id);
  if (id != message.end() && !id_of_answer) {
    return refuse(nullptr, ResponseCode::invalid_request, "id: expected an integer or a string");
  }
  const Json answer_id = id_of_answer ? write_id(*id_of_answer) : Json();
  const Json* version = member(message, "jsonrpc");
  if (!version || *version != "2.0") {
    return refuse(answer_id, ResponseCode::invalid_request, "jsonrpc: expected \"2.0\"");
  }
  const Json* params = member(message, "params");
  if (params && !params->is_structured()) {
    return refuse(answer_id, ResponseCode::invalid_request,
                  "params: expected an object or an array");
  }
  if (!params) params = &no_params;
  if (id_of_answer) {
    receive_request(*id_of_answer, method, *params);
  } else {
    receive_notification(method, *params);
  }
}

void Dispatcher::receive_request(const RequestId& id, const std::string& method,
                                 const Json& params) {
  if (const auto refusal = refused_by(phase_, method)) {
    return refuse(write_id(id), refusal->code, refusal->message);
  }
  if (open_.contains(id)) {
    return refuse(write_id(id), ResponseCode::invalid_request,
                  "an open request has this id already");
  }
  if (open_.size() >= most_open_requests) {
    return refuse(write_id(id), ResponseCode::request_failed,
                  fmt::format("{} requests are open: wait for answers", open_.size()));
  }
  const auto handler = requests_.find(method);
  if (handler == requests_.end()) {
    return refuse(write_id(id), ResponseCode::method_not_found,
                  fmt::format("this server knows no request {}", method));
  }
  trace(fmt::format("Received request '{} - ({})'.", method, text_of(id)), params);
  const std::uint64_t before = last_serial_;
  try {
    handler->second(id, params);
  } catch (const std::bad_alloc&) {
    const MemoryPatience patience;
    const ResponseError error = no_memory_to_answer();
    if (last_serial_ == before) return refuse(write_id(id), error.code, error.message);
    // Unless the end of its reply has answered it.
    answer(id, last_serial_, error);
  }
}

void Dispatcher::receive_notification(const std::string& method, const Json& params) {
  if (method == "$/cancelRequest") return cancel(params);
  const auto handler = notifications_.find(method);
  if (handler == notifications_.end()) {
    // A server may ignore methods with `$/`.
    if (!method.starts_with("$/")) log_(fmt::format("{} is not known and ignored", method));
    return;
  }
  // Before `initialize` and after `shutdown`, only `exit` is allowed.
  if (phase_ != Phase::running && method != "exit") return;
  trace(fmt::format("Received notification '{}'.", method), params);
  handler->second(params);
}

void Dispatcher::receive_answer(const Json& message) {
  const Json* id = member(message, "id");
  const bool has_result = message.contains("result");
  const Json* error = member(message, "error");
  if (!has_result && !error) {
    return refuse(nullptr, ResponseCode::invalid_request,
                  "a message must hold a method, a result or an error");
  }
  const auto number = id ? whole_number(*id) : std::nullopt;
  const auto asked = number ? asked_.find(*number) : asked_.end();
  if (asked == asked_.end()) return log_("an answer came that nothing had asked for");
  const AnswerHandler handler = std::move(asked->second);
  asked_.erase(asked);
  handler(error ? nullptr : &message["result"], error);
}

void Dispatcher::cancel(const Json& params) {
  const Json* id = member(params, "id");
  const auto read = id ? read_id(*id) : std::nullopt;
  if (read) cancel(*read);
}

void Dispatcher::cancel(const RequestId& id) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;  // already answered, or unknown
  found->second.cancelled->store(true, std::memory_order_relaxed);
  answer(id, found->second.serial,
         ResponseError{ResponseCode::request_cancelled, "The request was cancelled."});
}

void Dispatcher::cancel_open_requests() {
  while (!open_.empty()) {
    const RequestId id = open_.begin()->first;
    cancel(id);
  }
}

std::optional<Dispatcher::RequestId> Dispatcher::read_id(const Json& json) {
  if (json.is_string()) return RequestId(json.get<std::string>());
  if (const auto number = whole_number(json)) return RequestId(*number);
  return std::nullopt;
}

Json Dispatcher::write_id(const RequestId& id) {
  if (const auto* number = std::get_if<std::int64_t>(&id)) return *number;
  return *std::get_if<std::string>(&id);
}

Dispatcher::OpenRequest Dispatcher::open_request(const RequestId& id, const std::string& method) {
  OpenRequest request{++last_serial_, method, std::chrono::steady_clock::now(),
                      std::make_shared<CancellationFlag>(false)};
  open_[id] = request;
  return request;
}

void Dispatcher::answer(const RequestId& id, std::uint64_t serial, const WrittenOutcome& outcome) {
  const MemoryPatience patience;
  const auto found = open_.find(id);
  if (found == open_.end() || found->second.serial != serial) return;  // was cancelled
  const OpenRequest request = std::move(found->second);
  open_.erase(found);
  trace_answer(request, id, outcome);
  if (const auto* error = std::get_if<ResponseError>(&outcome)) {
    refuse(write_id(id), error->code, error->message);
  } else if (send_) {
    send_(fmt::format(R"({{"id":{},"jsonrpc":"2.0","result":{}}})", json_text(write_id(id)),
                      *std::get_if<std::string>(&outcome)));
  }
  if (open_.empty() && idle_) idle_();
}

void Dispatcher::trace(std::string message, const Json& verbose) {
  trace_text(std::move(message), trace_ == TraceLevel::verbose ? json_text(verbose) : "");
}

void Dispatcher::trace_text(std::string message, std::string_view verbose) {
  if (trace_ == TraceLevel::off) return;
  LogTraceParams params{std::move(message), {}};
  if (trace_ == TraceLevel::verbose) {
    // May contain whole documents, which nobody reads in a trace.
    params.verbose = verbose.substr(0, longest_trace);
    if (verbose.size() > longest_trace) params.verbose += " … (cut)";
  }
  // Past send_call(): a trace of the trace would never end.
  if (send_) {
    send_(fmt::format(R"({{"jsonrpc":"2.0","method":"$/logTrace","params":{}}})",
                      written_text(params)));
  }
}

void Dispatcher::trace_answer(const OpenRequest& request, const RequestId& id,
                              const WrittenOutcome& outcome) {
  if (trace_ == TraceLevel::off) return;
  const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - request.received);
  const auto* error = std::get_if<ResponseError>(&outcome);
  trace_text(fmt::format("Sending {} '{} - ({})'. Processing request took {} ms.",
                         error ? "error response" : "response", request.method, text_of(id),
                         taken.count()),
             error ? error->message : *std::get_if<std::string>(&outcome));
}

void Dispatcher::refuse(const Json& id, ResponseCode code, std::string_view message) {
  if (!send_) return;
  send_(fmt::format(R"({{"error":{},"id":{},"jsonrpc":"2.0"}})",
                    written_text(ResponseError{code, std::string(message)}), json_text(id)));
}

void Dispatcher::send_call(std::string_view method, const std::string& params,
                           AnswerHandler answer) {
  std::string id;
  if (answer) {
    asked_[++last_asked_] = std::move(answer);
    id = fmt::format(R"("id":{},)", last_asked_);
  }
  trace_text(id.empty() ? fmt::format("Sending notification '{}'.", method)
                        : fmt::format("Sending request '{} - ({})'.", method, last_asked_),
             params);
  // A message may leave its params out.
  const std::string member = params == "null" ? "" : fmt::format(R"(,"params":{})", params);
  if (send_) send_(fmt::format(R"({{{}"jsonrpc":"2.0","method":"{}"{}}})", id, method, member));
}

void Dispatcher::stop() {
  for (auto& [id, request] : open_) request.cancelled->store(true, std::memory_order_relaxed);
  open_.clear();
  asked_.clear();
  idle_ = nullptr;
  send_ = nullptr;
}

}  // namespace gprof::lsp
