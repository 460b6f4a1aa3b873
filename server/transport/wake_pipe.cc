#include "server/transport/wake_pipe.h"

#include <array>
#include <cerrno>
#include <cstdint>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace gprof::lsp {

WakePipe::WakePipe() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

WakePipe::~WakePipe() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void WakePipe::wake() const {
  const std::uint64_t one = 1;
  // Can only fail if the counter is full, and then the descriptor is readable already.
  [[maybe_unused]] const auto written = ::write(descriptor_, &one, sizeof one);
}

bool wait_for(int descriptor, short events, const WakePipe& wake,
              std::optional<std::chrono::milliseconds> longest) {
  std::array<pollfd, 2> wanted{{{descriptor, events, 0}, {wake.descriptor(), POLLIN, 0}}};
  const int milliseconds = longest ? static_cast<int>(longest->count()) : -1;
  int ready = 0;
  do {
    ready = ::poll(wanted.data(), wanted.size(), milliseconds);
  } while (ready < 0 && errno == EINTR);
  return ready > 0 && wanted[0].revents != 0;
}

}  // namespace gprof::lsp
