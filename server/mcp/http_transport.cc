#include "server/mcp/http_transport.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <utility>
#include <vector>

#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/read_until.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "server/mcp/http_request.h"
#include "server/protocol/message_writer.h"

namespace gprof::lsp {
namespace {

using asio::ip::tcp;

constexpr std::string_view endpoint_path = "/mcp";
constexpr std::size_t most_connections = 32;
// For a request to arrive, once its first byte may come.
constexpr std::chrono::seconds longest_wait{120};
// For a client to take its last answer and close.
constexpr std::chrono::seconds longest_goodbye{2};
constexpr std::size_t discarded_at_once = 16384;

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    default:
      return "Error";
  }
}

// Pages on this machine may be anybody's, too, but have no token.
bool is_own_origin(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!origin.starts_with(scheme)) continue;
    const std::string_view rest = origin.substr(scheme.size());
    for (const std::string_view host : {"localhost", "127.0.0.1", "[::1]"}) {
      if (rest == host) return true;
      if (rest.starts_with(host) && rest.substr(host.size()).starts_with(':')) return true;
    }
  }
  return false;
}

std::string error_body(McpError code, std::string_view message) {
  std::string body;
  McpChannel channel;
  channel.send = [&](std::string text) { body = std::move(text); };
  McpServer::refuse(channel, code, message);
  return body;
}

}  // namespace

// One client's connection: one request after another.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Ended = std::function<void()>;

  HttpConnection(tcp::socket socket, McpServer& server, std::shared_ptr<const AccessToken> token,
                 Ended ended)
      : socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        server_(server),
        token_(std::move(token)),
        ended_(std::move(ended)) {}

  void read_head();
  void stop();

 private:
  void take_head(std::size_t size);
  void read_body(std::size_t length);
  void take_body();
  [[nodiscard]] std::string checked_headers(const AnyValue& message) const;
  void take_message(const std::string& text);
  void send_response(int status, std::string_view body, std::string_view more = {});
  void send_event(const std::string& message, bool is_last);
  void write(std::string_view bytes, bool is_last);
  void finish_request();
  void close_gently();
  void discard_rest();
  void stop_after(std::chrono::seconds time);
  void watch_for_end();

  tcp::socket socket_;
  asio::steady_timer timer_;
  McpServer& server_;
  const std::shared_ptr<const AccessToken> token_;
  Ended ended_;
  std::string buffer_;
  HttpRequest request_;
  std::shared_ptr<McpChannel> channel_;  // of the request that is being answered
  bool streams_ = false;                 // its answer has begun as a stream of events
  bool modern_ = false;
  std::string written_;  // what is being written
  std::string waiting_;  // what is written next
  bool last_is_queued_ = false;
  bool is_writing_ = false;
};

void HttpConnection::stop() {
  std::error_code ignored;
  timer_.cancel();
  socket_.close(ignored);
  if (channel_) channel_->cancel_all();
  channel_.reset();
  if (const Ended ended = std::exchange(ended_, nullptr)) ended();
}

void HttpConnection::stop_after(std::chrono::seconds time) {
  timer_.expires_after(time);
  timer_.async_wait([self = shared_from_this()](std::error_code cancelled) {
    if (!cancelled) self->stop();
  });
}

void HttpConnection::read_head() {
  stop_after(longest_wait);
  asio::async_read_until(socket_, asio::dynamic_buffer(buffer_, largest_http_header), "\r\n\r\n",
                         [self = shared_from_this()](std::error_code error, std::size_t size) {
                           if (error) return self->stop();
                           self->take_head(size);
                         });
}

void HttpConnection::take_head(std::size_t size) {
  const auto request = parse_http_request(std::string_view(buffer_).substr(0, size));
  buffer_.erase(0, size);
  if (!request) {
    request_.keeps_alive = false;
    return send_response(400, error_body(McpError::invalid_request, "malformed HTTP request"));
  }
  request_ = *request;
  const auto refuse = [&](int status, std::string_view reason, std::string_view more = {}) {
    // Its body is not read.
    request_.keeps_alive = false;
    send_response(status, error_body(McpError::invalid_request, reason), more);
  };
  if (const std::string* origin = request_.field("origin"); origin && !is_own_origin(*origin)) {
    return refuse(403, "requests of web pages are not served");
  }
  const std::string* authorization = request_.field("authorization");
  constexpr std::string_view bearer = "Bearer ";
  const bool is_known = authorization != nullptr && authorization->starts_with(bearer) &&
                        token_->matches(std::string_view(*authorization).substr(bearer.size()));
  if (!is_known) {
    return refuse(401, "expected Authorization: Bearer with the token that the server has printed",
                  "WWW-Authenticate: Bearer\r\n");
  }
  if (request_.target.substr(0, request_.target.find('?')) != endpoint_path) {
    return refuse(404, "expected /mcp");
  }
  if (request_.method != "POST") return refuse(405, "expected POST", "Allow: POST\r\n");
  const std::string* type = request_.field("content-type");
  if (type == nullptr || !type->starts_with("application/json")) {
    return refuse(415, "expected Content-Type: application/json");
  }
  const auto length = content_length(request_);
  if (!length) return refuse(411, "expected Content-Length");
  if (*length > largest_http_body) return refuse(413, "the message is too large");
  read_body(*length);
}

void HttpConnection::read_body(std::size_t length) {
  if (buffer_.size() >= length) {
    std::string rest = buffer_.substr(length);
    buffer_.resize(length);
    take_body();
    buffer_ = std::move(rest);
    return;
  }
  const std::size_t missing = length - buffer_.size();
  asio::async_read(socket_, asio::dynamic_buffer(buffer_, length), asio::transfer_exactly(missing),
                   [self = shared_from_this(), length](std::error_code error, std::size_t) {
                     if (error) return self->stop();
                     self->read_body(length);
                   });
}

// What is wrong with the headers that repeat parts of the body; empty if nothing is.
std::string HttpConnection::checked_headers(const AnyValue& message) const {
  const std::string* version = request_.field("mcp-protocol-version");
  const AnyValue* params = message.find("params");
  const std::string* in_body = params->find("_meta")->find_text(protocol_version_key);
  if (version == nullptr || *version != *in_body) {
    return "MCP-Protocol-Version does not match the body";
  }
  const std::string* method = message.find_text("method");
  const std::string* named_method = request_.field("mcp-method");
  if (named_method == nullptr || method == nullptr || *named_method != *method) {
    return "Mcp-Method does not match the body";
  }
  const bool is_read = *method == "resources/read";
  if (!is_read && *method != "tools/call" && *method != "prompts/get") return {};
  const std::string* name = params->find_text(is_read ? "uri" : "name");
  const std::string* field = request_.field("mcp-name");
  const auto named = field == nullptr ? std::nullopt : decoded_field(*field);
  if (name == nullptr || !named || *named != *name) return "Mcp-Name does not match the body";
  return {};
}

void HttpConnection::take_body() {
  const auto message = parse_any(buffer_);
  const auto refuse = [&](McpError code, std::string_view reason) {
    send_response(400, error_body(code, reason));
  };
  if (!message) return refuse(McpError::parse_error, message.error().message);
  const AnyValue* params = message->find("params");
  const AnyValue* meta = params == nullptr ? nullptr : params->find("_meta");
  modern_ = meta != nullptr && meta->find_text(protocol_version_key) != nullptr;
  const bool is_answer = message->find("result") != nullptr || message->find("error") != nullptr;
  const bool is_call = message->find_text("method") != nullptr;
  if (!is_call && !is_answer) {
    return refuse(McpError::invalid_request, "expected one JSON-RPC 2.0 message");
  }
  // Nothing was asked, and no notification concerns a request of another connection.
  if (!is_call || message->find("id") == nullptr) return send_response(202, {});
  const std::string wrong = modern_ ? checked_headers(*message) : std::string();
  if (!wrong.empty()) return refuse(McpError::header_mismatch, "Header mismatch: " + wrong);
  channel_ = std::make_shared<McpChannel>();
  // Earlier revisions agree on a version once, and name it in each request that follows.
  const std::string* version = request_.field("mcp-protocol-version");
  const std::vector<std::string> known = McpServer::versions();
  if (!modern_ && version != nullptr && std::ranges::find(known, *version) == known.end()) {
    channel_.reset();
    return refuse(
        McpError::unsupported_version,
        fmt::format("Unsupported protocol version; supported: {}", fmt::join(known, ", ")));
  }
  if (!modern_) channel_->agreed_version = version == nullptr ? known.back() : *version;
  channel_->send = [weak = weak_from_this()](const std::string& text) {
    if (const auto self = weak.lock()) self->take_message(text);
  };
  streams_ = false;
  server_.receive(channel_, buffer_);
  watch_for_end();
}

// A client that goes away cancels its request.
void HttpConnection::watch_for_end() {
  if (!channel_) return;
  timer_.cancel();
  socket_.async_wait(tcp::socket::wait_read,
                     [weak = weak_from_this(), channel = std::weak_ptr(channel_)](std::error_code) {
                       const auto self = weak.lock();
                       const auto open = channel.lock();
                       if (!self || !open || self->channel_ != open) return;
                       std::error_code error;
                       if (self->socket_.available(error) == 0 || error) self->stop();
                     });
}

void HttpConnection::take_message(const std::string& text) {
  const auto message = parse_any(text);
  const bool is_last = !message || message->find("method") == nullptr;
  if (!is_last && !streams_) {
    const std::string* accepted = request_.field("accept");
    // Progress is only for those who can hear it.
    if (accepted == nullptr || accepted->find("text/event-stream") == std::string::npos) return;
    streams_ = true;
    write(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n"
        "X-Accel-Buffering: no\r\nConnection: close\r\n\r\n",
        false);
    request_.keeps_alive = false;
  }
  if (streams_) return send_event(text, is_last);
  int status = 200;
  const AnyValue* error = message ? message->find("error") : nullptr;
  const AnyValue* code = error == nullptr ? nullptr : error->find("code");
  if (modern_ && code != nullptr && code->integer() != nullptr) {
    const auto number = static_cast<McpError>(*code->integer());
    if (number == McpError::method_not_found) status = 404;
    if (number == McpError::unsupported_version || number == McpError::invalid_request) {
      status = 400;
    }
  }
  send_response(status, text);
}

void HttpConnection::send_event(const std::string& message, bool is_last) {
  write("event: message\r\ndata: " + message + "\r\n\r\n", is_last);
}

void HttpConnection::send_response(int status, std::string_view body, std::string_view more) {
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\n{}Content-Length: {}\r\n{}", status, reason_of(status), more,
                  body.size(), request_.keeps_alive ? "" : "Connection: close\r\n");
  if (!body.empty()) head += "Content-Type: application/json\r\n";
  write(head + "\r\n" + std::string(body), true);
}

void HttpConnection::write(std::string_view bytes, bool is_last) {
  waiting_ += bytes;
  last_is_queued_ = last_is_queued_ || is_last;
  if (is_writing_) return;
  is_writing_ = true;
  written_ = std::exchange(waiting_, {});
  asio::async_write(socket_, asio::buffer(written_),
                    [self = shared_from_this()](std::error_code error, std::size_t) {
                      self->is_writing_ = false;
                      if (error) return self->stop();
                      if (!self->waiting_.empty()) return self->write({}, false);
                      if (self->last_is_queued_) self->finish_request();
                    });
}

void HttpConnection::finish_request() {
  last_is_queued_ = false;
  channel_.reset();
  if (!request_.keeps_alive) return close_gently();
  std::error_code ignored;
  socket_.cancel(ignored);
  read_head();
}

// A connection that is closed with bytes unread is reset, and the client may lose its answer (RFC
// 9112, 9.6): what still comes is read, for a while.
void HttpConnection::close_gently() {
  std::error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  stop_after(longest_goodbye);
  discard_rest();
}

void HttpConnection::discard_rest() {
  buffer_.resize(discarded_at_once);
  socket_.async_read_some(asio::buffer(buffer_),
                          [self = shared_from_this()](std::error_code error, std::size_t) {
                            if (error) return self->stop();
                            self->discard_rest();
                          });
}

class HttpTransport::Acceptor : public std::enable_shared_from_this<Acceptor> {
 public:
  Acceptor(const asio::any_io_executor& io, McpServer& server,
           std::shared_ptr<const AccessToken> token)
      : acceptor_(io), server_(server), token_(std::move(token)) {}

  std::error_code open(const asio::ip::address& host, std::uint16_t port) {
    const tcp::endpoint endpoint(host, port);
    std::error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    if (error) return error;
    const tcp::endpoint bound = acceptor_.local_endpoint(error);
    const std::string name = bound.address().to_string();
    address_ = fmt::format("http://{}:{}{}", host.is_v6() ? "[" + name + "]" : name, bound.port(),
                           endpoint_path);
    return error;
  }
  void accept() {
    acceptor_.async_accept([self = shared_from_this()](std::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error) self->take(std::move(socket));
      self->accept();
    });
  }
  void stop() {
    std::error_code ignored;
    acceptor_.close(ignored);
    for (const auto& connection : std::exchange(connections_, {})) connection->stop();
  }
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  void take(tcp::socket socket) {
    std::error_code ignored;
    if (connections_.size() >= most_connections) {
      socket.close(ignored);
      return;
    }
    socket.set_option(tcp::no_delay(true), ignored);
    auto place = std::make_shared<std::weak_ptr<HttpConnection>>();
    auto connection = std::make_shared<HttpConnection>(std::move(socket), server_, token_,
                                                       [weak = weak_from_this(), place] {
                                                         const auto self = weak.lock();
                                                         if (self)
                                                           self->connections_.erase(place->lock());
                                                       });
    *place = connection;
    connections_.insert(connection);
    connection->read_head();
  }

  tcp::acceptor acceptor_;
  McpServer& server_;
  const std::shared_ptr<const AccessToken> token_;
  std::set<std::shared_ptr<HttpConnection>> connections_;
  std::string address_;
};

HttpTransport::HttpTransport(std::shared_ptr<Acceptor> acceptor) : acceptor_(std::move(acceptor)) {}
HttpTransport::~HttpTransport() { stop(); }

const std::string& HttpTransport::address() const { return acceptor_->address(); }
void HttpTransport::stop() { acceptor_->stop(); }

Expected<std::unique_ptr<HttpTransport>> HttpTransport::on_port(
    const asio::any_io_executor& io, const std::string& host, std::uint16_t port, McpServer& server,
    std::shared_ptr<const AccessToken> token) {
  std::error_code error;
  const auto address = asio::ip::make_address(host == "localhost" ? "127.0.0.1" : host, error);
  auto acceptor = std::make_shared<Acceptor>(io, server, std::move(token));
  if (!error) error = acceptor->open(address, port);
  if (error) {
    return Error{ErrorCode::unreadable,
                 fmt::format("cannot listen on {}:{}: {}", host, port, error.message()),
                 {},
                 std::nullopt};
  }
  acceptor->accept();
  return std::unique_ptr<HttpTransport>(new HttpTransport(std::move(acceptor)));
}

}  // namespace gprof::lsp
