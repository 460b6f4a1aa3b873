#include "server/transport/descriptor_connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <asio/post.hpp>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "server/system/memory_reserve.h"
#include "server/transport/line_decoder.h"
#include "server/transport/wake_pipe.h"

namespace gprof::lsp {
namespace {

// POSIX guarantees that a ready pipe accepts this much without blocking.
constexpr std::size_t largest_write = 4096;

std::string error_text(int number) { return std::generic_category().message(number); }

std::unique_ptr<MessageDecoder> decoder_of(StreamFraming framing) {
  if (framing == StreamFraming::line) return std::make_unique<LineDecoder>();
  return std::make_unique<FrameDecoder>();
}

}  // namespace

struct DescriptorConnection::Shared : std::enable_shared_from_this<Shared> {
  Shared(asio::any_io_executor executor, int input_descriptor, int output_descriptor,
         StreamFraming messages)
      : io(std::move(executor)),
        input(input_descriptor),
        output(output_descriptor),
        framing(messages),
        decoder(decoder_of(messages)) {}

  void read_until_end();
  void take(const std::string& bytes);
  void end_of_input(const std::string& reason);
  void write_until_end();
  // Returns the error; empty if everything was written.
  std::string write_all(std::string_view bytes);
  void finish(const std::string& reason);
  void stop();

  const asio::any_io_executor io;
  const int input;
  const int output;
  const StreamFraming framing;
  WakePipe stop_reading;
  WakePipe stop_writing;     // after writing what is queued, with a time limit
  WakePipe abandon_writing;  // at once
  std::thread reader;
  std::thread writer;

  // Used by the I/O thread only.
  Handlers handlers;
  const std::unique_ptr<MessageDecoder> decoder;
  bool finished = false;
  bool closing = false;

  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  std::deque<std::string> waiting;
  std::size_t backlog = 0;
  bool last_message_queued = false;
  bool bytes_taken = true;
  bool stopping = false;
};

void DescriptorConnection::Shared::read_until_end() {
  std::array<char, 65536> buffer;
  while (true) {
    const MemoryPatience patience;
    const bool ready = wait_for(input, POLLIN, stop_reading, std::nullopt);
    {
      const std::lock_guard lock(mutex);
      if (stopping) return;
    }
    if (!ready) continue;
    const ssize_t size = ::read(input, buffer.data(), buffer.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size <= 0) {
      const std::string reason = size < 0 ? "reading: " + error_text(errno) : std::string();
      asio::post(io, [self = shared_from_this(), reason] { self->end_of_input(reason); });
      return;
    }
    // The next read waits for these bytes to be taken: data from a fast client stays in its pipe.
    std::unique_lock lock(mutex);
    bytes_taken = false;
    asio::post(io, [self = shared_from_this(),
                    bytes = std::string(buffer.data(), static_cast<std::size_t>(size))] {
      self->take(bytes);
    });
    changed.wait(lock, [&] { return bytes_taken || stopping; });
    if (stopping) return;
  }
}

void DescriptorConnection::Shared::take(const std::string& bytes) {
  try {
    if (!finished) {
      decoder->feed(bytes);
      deliver(*decoder, handlers);
    }
  } catch (const std::bad_alloc&) {
    const MemoryPatience patience;
    finish(std::string(no_memory_for_client));
  }
  const std::lock_guard lock(mutex);
  bytes_taken = true;
  changed.notify_all();
}

void DescriptorConnection::Shared::end_of_input(const std::string& reason) {
  if (finished) return;
  const auto unfinished = decoder->end_of_stream();
  handlers.input_ended(reason.empty() && unfinished ? unfinished->message : reason);
}

void DescriptorConnection::Shared::write_until_end() {
  const MemoryPatience patience;
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return !waiting.empty() || last_message_queued || stopping; });
    if (waiting.empty()) break;
    const std::string message = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    const std::string problem = write_all(message);
    lock.lock();
    backlog -= message.size();
    if (!problem.empty()) {
      asio::post(io, [self = shared_from_this(), problem] { self->finish(problem); });
      return;
    }
  }
  if (last_message_queued) {
    asio::post(io, [self = shared_from_this()] { self->finish({}); });
  }
}

std::string DescriptorConnection::Shared::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    // After a stop, queued data may still be sent while the client reads it.
    if (!wait_for(output, POLLOUT, stop_writing, std::nullopt) &&
        !wait_for(output, POLLOUT, abandon_writing, longest_stall)) {
      return "the client does not read what it is sent";
    }
    const std::size_t size = std::min(bytes.size(), largest_write);
    const ssize_t written = ::write(output, bytes.data(), size);
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written < 0) return "writing: " + error_text(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

void DescriptorConnection::Shared::finish(const std::string& reason) {
  if (std::exchange(finished, true)) return;
  // The handlers may own this connection: release them.
  const Handlers last = std::exchange(handlers, {});
  if (last.closed) last.closed(reason);
}

void DescriptorConnection::Shared::stop() {
  {
    const std::lock_guard lock(mutex);
    stopping = true;
    changed.notify_all();
  }
  stop_reading.wake();
  stop_writing.wake();
  abandon_writing.wake();
  if (reader.joinable()) reader.join();
  if (writer.joinable()) writer.join();
}

DescriptorConnection::DescriptorConnection(asio::any_io_executor io, int input, int output,
                                           StreamFraming framing)
    : shared_(std::make_shared<Shared>(std::move(io), input, output, framing)) {}

DescriptorConnection::~DescriptorConnection() {
  abort();
  shared_->stop();
}

void DescriptorConnection::abort() {
  shared_->finished = true;
  shared_->handlers = {};
}

void DescriptorConnection::start(Handlers handlers) {
  shared_->handlers = std::move(handlers);
  if (!shared_->stop_reading.ok() || !shared_->stop_writing.ok() ||
      !shared_->abandon_writing.ok()) {
    asio::post(shared_->io, [self = shared_] { self->finish("no file descriptors are left"); });
    return;
  }
  shared_->reader = std::thread([self = shared_.get()] { self->read_until_end(); });
  shared_->writer = std::thread([self = shared_.get()] { self->write_until_end(); });
}

void DescriptorConnection::send(std::string body) {
  if (shared_->finished || shared_->closing) return;
  std::string message = shared_->framing == StreamFraming::line ? body + '\n' : framed(body);
  const std::lock_guard lock(shared_->mutex);
  shared_->backlog += message.size();
  if (shared_->backlog > largest_backlog) {
    shared_->closing = true;
    asio::post(shared_->io,
               [self = shared_] { self->finish("the client does not read what it is sent"); });
    return;
  }
  shared_->waiting.push_back(std::move(message));
  shared_->changed.notify_all();
}

void DescriptorConnection::close() {
  if (shared_->closing || shared_->finished) return;
  shared_->closing = true;
  const std::lock_guard lock(shared_->mutex);
  shared_->last_message_queued = true;
  shared_->changed.notify_all();
  shared_->stop_writing.wake();
}

}  // namespace gprof::lsp
