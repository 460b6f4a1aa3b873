#include "server/transport/stream_connection.h"

#include <new>
#include <utility>

#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/post.hpp>
#include <asio/write.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "server/system/memory_reserve.h"

namespace gprof::lsp {

void StreamConnection::start(Handlers handlers) {
  handlers_ = std::move(handlers);
  or_finish([this] { read(); });
}

// Clients that write header and body separately wait for the first to be acknowledged before they
// send the second (Nagle), and the system delays that by 40 ms unless told each time.
void StreamConnection::acknowledge() {
#ifdef TCP_QUICKACK
  const int on = 1;
  // Fails for sockets other than TCP, which have no such delay.
  ::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
#endif
}

template <typename Step>
void StreamConnection::or_finish(const Step& step) {
  try {
    step();
  } catch (const std::bad_alloc&) {
    const MemoryPatience patience;
    closing_ = true;
    asio::post(socket_.get_executor(),
               [self = shared_from_this()] { self->finish(std::string(no_memory_for_client)); });
  }
}

void StreamConnection::read() {
  acknowledge();
  socket_.async_read_some(asio::buffer(buffer_),
                          [self = shared_from_this()](std::error_code error, std::size_t size) {
                            if (self->finished_) return;
                            if (error) return self->end_input(error);
                            self->or_finish([&] { self->take(size); });
                          });
}

void StreamConnection::take(std::size_t size) {
  decoder_.feed({buffer_.data(), size});
  deliver(decoder_, handlers_);
  if (finished_) return;
  if (const auto& refusal = decoder_.refusal()) return finish(refusal->message);
  read();
}

void StreamConnection::end_input(std::error_code error) {
  const auto unfinished = decoder_.end_of_stream();
  if (error != asio::error::eof) {
    handlers_.input_ended("reading: " + error.message());
  } else {
    handlers_.input_ended(unfinished ? unfinished->message : std::string());
  }
}

void StreamConnection::send(std::string body) {
  or_finish([&] { queue(framed(body)); });
}

void StreamConnection::queue(std::string message) {
  if (finished_ || closing_) return;
  backlog_ += message.size();
  if (backlog_ > largest_backlog) {
    closing_ = true;
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
      self->finish("the client does not read what it is sent");
    });
    return;
  }
  waiting_.push_back(std::move(message));
  if (waiting_.size() == 1) write();
}

void StreamConnection::write() {
  asio::async_write(socket_, asio::buffer(waiting_.front()),
                    [self = shared_from_this()](std::error_code error, std::size_t) {
                      if (self->finished_) return;
                      if (error) return self->finish("writing: " + error.message());
                      self->backlog_ -= self->waiting_.front().size();
                      self->waiting_.pop_front();
                      if (!self->waiting_.empty()) {
                        self->or_finish([&] { self->write(); });
                      } else if (self->closing_) {
                        self->finish({});
                      }
                    });
}

void StreamConnection::close() {
  if (closing_ || finished_) return;
  closing_ = true;
  if (waiting_.empty()) {
    asio::post(socket_.get_executor(), [self = shared_from_this()] { self->finish({}); });
    return;
  }
  stall_.expires_after(longest_stall);
  stall_.async_wait([self = shared_from_this()](std::error_code error) {
    if (!error) self->finish("the client does not read what it is sent");
  });
}

void StreamConnection::abort() {
  handlers_ = {};
  finish({});
}

void StreamConnection::finish(std::string reason) {
  if (std::exchange(finished_, true)) return;
  std::error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_both, ignored);
  socket_.close(ignored);
  stall_.cancel();
  // The handlers may own this connection: release them.
  const Handlers handlers = std::exchange(handlers_, {});
  if (handlers.closed) handlers.closed(std::move(reason));
}

}  // namespace gprof::lsp
