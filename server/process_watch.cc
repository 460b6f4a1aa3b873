#include "server/process_watch.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <limits>
#include <system_error>
#include <utility>

namespace gprof::lsp {
namespace {

constexpr std::chrono::seconds interval{2};

// Below zero where the system does not give one.
int process_descriptor(std::int64_t process) {
#ifdef SYS_pidfd_open
  return static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(process), 0));
#else
  return -1;
#endif
}

// No process has such a number, and kill() takes it for a group's.
bool impossible(std::int64_t process) {
  return process <= 0 || process > std::numeric_limits<pid_t>::max();
}

}  // namespace

ProcessWatch::ProcessWatch(asio::any_io_executor io, std::int64_t process,
                           std::function<void()> ended)
    : process_(process), ended_(std::move(ended)), descriptor_(io), timer_(io) {
  const int descriptor = impossible(process) ? -1 : process_descriptor(process);
  std::error_code error;
  if (descriptor >= 0) descriptor_.assign(descriptor, error);
  if (descriptor < 0 || error) {
    if (descriptor >= 0) ::close(descriptor);
    timer_.expires_after(std::chrono::seconds(0));
    timer_.async_wait([this](std::error_code cancelled) {
      if (!cancelled) look();
    });
    return;
  }
  descriptor_.async_wait(asio::posix::descriptor_base::wait_read,
                         [this](std::error_code cancelled) {
                           if (!cancelled) ended_();
                         });
}

ProcessWatch::~ProcessWatch() = default;

void ProcessWatch::look() {
  if (impossible(process_)) return ended_();
  if (::kill(static_cast<pid_t>(process_), 0) != 0 && errno == ESRCH) return ended_();
  timer_.expires_after(interval);
  timer_.async_wait([this](std::error_code cancelled) {
    if (!cancelled) look();
  });
}

}  // namespace gprof::lsp
