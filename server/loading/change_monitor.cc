#include "server/loading/change_monitor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <new>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace gprof::lsp {
namespace {

constexpr int pause = 200;  // milliseconds

// Rounded up, so that the time has passed after the wait.
int milliseconds_until(Debounce::Time time) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(time - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

}  // namespace

void Debounce::event(Time now) {
  if (!first_) first_ = now;
  last_ = now;
}

std::optional<Debounce::Time> Debounce::due() const {
  if (!first_) return std::nullopt;
  return std::min(last_ + times_.quiet, *first_ + times_.longest_unrest);
}

ChangeMonitor::ChangeMonitor(Changed changed, const MonitorTimes& times)
    : changed_(std::move(changed)),
      times_(times),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      debounce_(times) {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (...) {
    if (wake_ >= 0) ::close(wake_);
    throw;
  }
}

ChangeMonitor::~ChangeMonitor() {
  stop();
  if (wake_ >= 0) ::close(wake_);
}

void ChangeMonitor::stop() {
  order([this] { ending_ = true; });
  if (thread_.joinable()) thread_.join();
}

void ChangeMonitor::notice(ChangedFiles files) {
  order([&] {
    noticed_.add(std::move(files));
    has_news_ = true;
  });
}

void ChangeMonitor::look_again() {
  order([this] { look_ordered_ = true; });
}

void ChangeMonitor::look_soon() {
  order([this] { live_look_ordered_ = true; });
}

void ChangeMonitor::watch(WatchSet files) {
  order([&] { ordered_ = std::move(files); });
}

void ChangeMonitor::settle(bool look, Job<> done) {
  order([&] {
    settled_.push_back(std::move(done));
    settling_look_ = settling_look_ || look;
  });
}

void ChangeMonitor::order(const std::function<void()>& note) {
  {
    const std::lock_guard lock(mutex_);
    note();
  }
  wake();
}

void ChangeMonitor::wake() const {
  const std::uint64_t one = 1;
  // Can only fail if the counter is full, and then the descriptor is readable already.
  [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
}

void ChangeMonitor::drain() const {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto size = ::read(wake_, &count, sizeof count);
}

void ChangeMonitor::wait(std::optional<Time> until) const {
  std::array<pollfd, 2> wanted{
      {{wake_, POLLIN, 0}, {watcher_ && watcher_->ok() ? watcher_->descriptor() : -1, POLLIN, 0}}};
  int longest = until ? milliseconds_until(*until) : -1;
  // Without descriptors nobody can wake this thread.
  if (wake_ < 0) longest = longest < 0 ? pause : std::min(longest, pause);
  ::poll(wanted.data(), wanted.size(), longest);
}

void ChangeMonitor::renew_watches() {
  renewal_wanted_ = false;
  const FileWatcher::Watched watched = watcher_->watch(watched_.directories());
  incomplete_ = !watched.complete;
  if (incomplete_) look_later(times_.between_looks);
  // A directory may have been searched before it was watched: files added in between would never be
  // seen.
  const auto& directories = watched.new_directories;
  gathered_.any =
      gathered_.any || std::any_of(directories.begin(), directories.end(),
                                   [&](const auto& path) { return watched_.searches(path); });
}

void ChangeMonitor::look_later(std::chrono::milliseconds delay) {
  const Time time = std::chrono::steady_clock::now() + delay;
  if (!next_look_ || time < *next_look_) next_look_ = time;
}

void ChangeMonitor::take_orders() {
  std::optional<WatchSet> ordered;
  bool news = false;
  {
    const std::lock_guard lock(mutex_);
    ordered.swap(ordered_);
    news = std::exchange(has_news_, false);
    if (std::exchange(look_ordered_, false)) look_later(times_.between_looks);
    if (std::exchange(live_look_ordered_, false)) look_later(times_.between_live_looks);
    if (news) gathered_.add(std::exchange(noticed_, {}));
    // A look that is scheduled for later is due now.
    if (std::exchange(settling_look_, false) && next_look_) {
      next_look_ = std::chrono::steady_clock::now();
    }
  }
  if (ordered && *ordered != watched_) {
    watched_ = std::move(*ordered);
    if (!watched_.empty() && !watcher_) watcher_ = std::make_unique<FileWatcher>();
    if (watcher_) renew_watches();
    if (watched_.empty()) {
      watcher_.reset();
      incomplete_ = false;
    }
    // A file may have changed before it was watched.
    news = true;
  }
  if (news) debounce_.event(std::chrono::steady_clock::now());
}

void ChangeMonitor::take_events() {
  const Time now = std::chrono::steady_clock::now();
  if (next_look_ && *next_look_ <= now) {
    next_look_.reset();
    renewal_wanted_ = renewal_wanted_ || incomplete_;
    debounce_.event(now);
  }
  if (!watcher_ || !watcher_->ok()) return;
  FileWatcher::Events events = watcher_->read();
  ChangedFiles changed;
  changed.any = events.lost;
  for (std::filesystem::path& path : events.paths) {
    if (watched_.concerns(path)) changed.paths.insert(std::move(path));
  }
  for (std::filesystem::path& path : events.new_directories) {
    if (watched_.searches(path)) changed.paths.insert(std::move(path));
  }
  renewal_wanted_ = renewal_wanted_ || events.directories;
  if (changed.any || !changed.paths.empty() || events.directories) debounce_.event(now);
  gathered_.add(std::move(changed));
}

std::optional<ChangeMonitor::Time> ChangeMonitor::next_time() const {
  const auto due = debounce_.due();
  if (due && next_look_) return std::min(*due, *next_look_);
  return due ? due : next_look_;
}

void ChangeMonitor::run() {
  for (;;) {
    wait(next_time());
    drain();
    {
      const std::lock_guard lock(mutex_);
      if (ending_) return;
    }
    try {
      take_changes();
    } catch (const std::bad_alloc&) {
      // Whatever was lost is found by a look at everything.
      gathered_.any = true;
      debounce_.event(std::chrono::steady_clock::now());
    }
  }
}

void ChangeMonitor::take_changes() {
  // Taken first: what is asked for during this round waits for the next one.
  std::vector<Job<>> settled;
  {
    const std::lock_guard lock(mutex_);
    settled.swap(settled_);
  }
  take_orders();
  take_events();
  const auto due = debounce_.due();
  if (due && (!settled.empty() || *due <= std::chrono::steady_clock::now())) report();
  for (Job<>& done : settled) done();
}

void ChangeMonitor::report() {
  debounce_.reset();
  // Before the files are checked: later changes are reported.
  if (renewal_wanted_ && watcher_) renew_watches();
  changed_(std::exchange(gathered_, {}));
}

}  // namespace gprof::lsp
