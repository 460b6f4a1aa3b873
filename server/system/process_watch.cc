#include "server/system/process_watch.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <limits>
#include <system_error>
#include <utility>

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gprof::lsp {
namespace {

constexpr std::chrono::seconds interval{2};

// Negative if the system does not provide one.
int process_descriptor(std::int64_t process) {
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(process), 0));
#else
  return -1;
#endif
}

// A process descriptor is readable once its process has ended.
bool is_readable(int descriptor) {
  pollfd wanted{descriptor, POLLIN, 0};
  return ::poll(&wanted, 1, 0) > 0;
}

// No process has such a number, and kill() takes it for a group.
bool impossible(std::int64_t process) {
  return process <= 0 || process > std::numeric_limits<pid_t>::max();
}

}  // namespace

class ProcessWatch::Watch : public std::enable_shared_from_this<Watch> {
 public:
  Watch(const asio::any_io_executor& io, std::int64_t process, std::function<void()> ended)
      : process_(process), ended_(std::move(ended)), descriptor_(io), timer_(io) {}

  void start();
  void stop();

 private:
  void wait();
  void look_after(std::chrono::seconds time);
  void look();
  // A wait that had ended before stop() still calls here.
  void end() {
    if (const auto ended = std::exchange(ended_, nullptr)) ended();
  }

  std::int64_t process_;
  std::function<void()> ended_;
  asio::posix::stream_descriptor descriptor_;
  asio::steady_timer timer_;
};

void ProcessWatch::Watch::start() {
  const int descriptor = impossible(process_) ? -1 : process_descriptor(process_);
  if (descriptor < 0) return look_after(std::chrono::seconds(0));
  std::error_code error;
  descriptor_.assign(descriptor, error);
  if (error) {
    ::close(descriptor);
    return look_after(std::chrono::seconds(0));
  }
  wait();
}

// asio reuses the state of a closed descriptor for the next one that is opened, so a queued event
// of the old one can complete a wait on the new one. Without the check, a client that disconnects
// could end another client's session.
void ProcessWatch::Watch::wait() {
  descriptor_.async_wait(asio::posix::descriptor_base::wait_read,
                         [self = shared_from_this()](std::error_code cancelled) {
                           if (cancelled || !self->ended_) return;
                           if (!is_readable(self->descriptor_.native_handle())) return self->wait();
                           self->end();
                         });
}

void ProcessWatch::Watch::stop() {
  ended_ = nullptr;
  std::error_code ignored;
  descriptor_.close(ignored);
  timer_.cancel();
}

void ProcessWatch::Watch::look_after(std::chrono::seconds time) {
  timer_.expires_after(time);
  timer_.async_wait([self = shared_from_this()](std::error_code cancelled) {
    if (!cancelled && self->ended_) self->look();
  });
}

void ProcessWatch::Watch::look() {
  if (!process_exists(process_)) return end();
  look_after(interval);
}

bool process_exists(std::int64_t process) {
  if (impossible(process)) return false;
  return ::kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
}

ProcessWatch::ProcessWatch(const asio::any_io_executor& io, std::int64_t process,
                           std::function<void()> ended)
    : watch_(std::make_shared<Watch>(io, process, std::move(ended))) {
  watch_->start();
}

ProcessWatch::~ProcessWatch() { watch_->stop(); }

}  // namespace gprof::lsp
