#include "server/session/session.h"

#include <chrono>
#include <utility>

#include <asio/post.hpp>

namespace gprof::lsp {
namespace {

// A client that closed its end still gets answers to its requests if they come soon.
constexpr std::chrono::seconds longest_answer_wait{10};

}  // namespace

Session::Session(const asio::any_io_executor& io, std::shared_ptr<Connection> connection,
                 std::unique_ptr<ProfileService> service, LanguageServerOptions options,
                 Ended ended)
    : io_(io),
      connection_(std::move(connection)),
      dispatcher_(Dispatcher::create(
          io, [this](std::string body) { connection_->send(std::move(body)); },
          [this](const std::string& text) { report(LogLevel::debug, text); })),
      log_(options.log),
      ended_(std::move(ended)),
      answer_wait_(io),
      server_(std::make_unique<LanguageServer>(io, dispatcher_, std::move(service),
                                               std::move(options),
                                               [this] { finish_connection(); })) {}

Session::~Session() {
  dispatcher_->stop();
  connection_->abort();
}

void Session::start() {
  const auto weak = weak_from_this();
  Connection::Handlers handlers;
  handlers.message = [weak](const std::string& body) {
    const auto self = weak.lock();
    if (!self || self->finishing_) return;
    self->dispatcher_->receive(body);
    if (self->has_shaken_hands()) self->connection_->trust();
  };
  handlers.problem = [weak](const FramingProblem& problem) {
    const auto self = weak.lock();
    if (!self || self->finishing_) return;
    self->report(LogLevel::warning, problem.message);
    self->dispatcher_->receive_unreadable(problem.message);
  };
  handlers.input_ended = [weak](const std::string& reason) {
    if (const auto self = weak.lock()) self->input_ended(reason);
  };
  handlers.closed = [weak](const std::string& reason) {
    const auto self = weak.lock();
    if (!self) return;
    if (!reason.empty()) self->report(LogLevel::warning, "the connection ended: " + reason);
    self->stop();
  };
  connection_->start(std::move(handlers));
}

bool Session::has_shaken_hands() const { return dispatcher_->phase() != Phase::uninitialized; }

void Session::input_ended(const std::string& reason) {
  if (finishing_) return;
  if (!reason.empty()) report(LogLevel::warning, "the client's stream ended: " + reason);
  if (dispatcher_->open_requests() == 0) return finish_connection();
  dispatcher_->on_idle([this] { finish_connection(); });
  answer_wait_.expires_after(longest_answer_wait);
  answer_wait_.async_wait([weak = weak_from_this()](std::error_code cancelled) {
    const auto self = weak.lock();
    if (self && !cancelled) self->finish_connection();
  });
}

void Session::finish_connection() {
  if (std::exchange(finishing_, true)) return;
  answer_wait_.cancel();
  connection_->close();
}

void Session::stop() {
  finishing_ = true;
  if (const Ended ended = std::exchange(ended_, nullptr)) {
    asio::post(io_, [ended, code = server_->exit_code()] { ended(code); });
  }
}

void Session::report(LogLevel level, const std::string& text) const {
  if (log_) log_->write(level, text);
}

}  // namespace gprof::lsp
