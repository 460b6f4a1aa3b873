#include "server/cli/record/sample_price.h"

#include <algorithm>
#include <csignal>
#include <ctime>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "formats/sampling_event.h"

namespace gprof::lsp {
namespace {

// perf's clock accepts no less than 10 us.
constexpr std::uint64_t interval = 15'000;
// Until the signal has been handled.
constexpr std::uint64_t observed = 2 * interval;
constexpr std::uint64_t longest_wait = 1'000'000;
constexpr int measurements = 4;

// Between two reads of the clock: something intervened.
constexpr std::uint64_t noticeable = 1'000;

void ignore_strike(int) {}

std::uint64_t now() {
  constexpr std::uint64_t second = 1'000'000'000;
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * second +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// An event as the collector opens it, with its signal to this thread.
class StrikingClock {
 public:
  StrikingClock() {
    perf_event_attr attributes = gprof_formats::sampling_event(interval);
    descriptor_ = static_cast<int>(
        syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
    if (descriptor_ < 0) return;
    f_owner_ex owner = {F_OWNER_TID, static_cast<pid_t>(syscall(SYS_gettid))};
    // The signal before O_ASYNC: the event would send SIGIO.
    is_ready_ = fcntl(descriptor_, F_SETOWN_EX, &owner) == 0 &&
                fcntl(descriptor_, F_SETSIG, SIGURG) == 0 &&
                fcntl(descriptor_, F_SETFL, O_ASYNC) == 0;
  }
  ~StrikingClock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  StrikingClock(const StrikingClock&) = delete;
  StrikingClock& operator=(const StrikingClock&) = delete;

  // It strikes once.
  [[nodiscard]] bool start() const {
    return is_ready_ && ioctl(descriptor_, PERF_EVENT_IOC_RESET, 0) == 0 &&
           ioctl(descriptor_, PERF_EVENT_IOC_REFRESH, 1) == 0;
  }
  // It has counted the interval.
  [[nodiscard]] bool has_struck() const {
    std::uint64_t count = 0;
    return read(descriptor_, &count, sizeof count) == sizeof count && count >= interval;
  }

 private:
  int descriptor_ = -1;
  bool is_ready_ = false;
};

// How long one strike keeps the thread from going on: the interrupt and the signal may come one
// after the other. 0 if it did not strike.
std::uint64_t interruption(const StrikingClock& clock) {
  if (!clock.start()) return 0;
  std::uint64_t undisturbed = 0;
  std::uint64_t lost = 0;
  for (std::uint64_t last = now(); undisturbed < observed && lost < longest_wait;) {
    const std::uint64_t next = now();
    (next - last < noticeable ? undisturbed : lost) += next - last;
    last = next;
  }
  return clock.has_struck() ? lost : 0;
}

}  // namespace

std::optional<std::uint32_t> measured_sample_price() {
  struct sigaction action = {};
  struct sigaction former = {};
  action.sa_handler = ignore_strike;
  sigfillset(&action.sa_mask);
  if (sigaction(SIGURG, &action, &former) != 0) return std::nullopt;
  std::uint64_t least = longest_wait;
  {
    const StrikingClock clock;
    for (int i = 0; i < measurements; ++i) {
      const std::uint64_t price = interruption(clock);
      if (price != 0) least = std::min(least, price);
    }
  }
  sigaction(SIGURG, &former, nullptr);
  return least < longest_wait ? std::optional(static_cast<std::uint32_t>(least)) : std::nullopt;
}

}  // namespace gprof::lsp
