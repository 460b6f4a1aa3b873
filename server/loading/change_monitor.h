// Waits until file changes have settled, then reports them.
//
// Builds and programs write their files in many steps. A change is reported after a quiet period,
// or after a longer one if there is no quiet.
// Changes come from notice(), from the kernel for the directories passed to watch(), and from
// polling if the kernel provides no watches.
// Ownership: owns a thread. Thread contract: notice() and watch() from any thread; `changed` is
// called on the monitor's thread. The destructor ends the thread and waits for a running call.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "server/discovery/discovery.h"
#include "server/discovery/watch_set.h"
#include "server/loading/file_watcher.h"
#include "server/system/job.h"

namespace gprof::lsp {

struct MonitorTimes {
  std::chrono::milliseconds quiet{200};
  std::chrono::milliseconds longest_unrest{1000};
  // Polling interval for files that are not watched.
  std::chrono::milliseconds between_looks{2000};
  // Polling interval for running programs, less `quiet`.
  std::chrono::milliseconds between_live_looks{800};
};

// When gathered events are due. Thread contract: one thread.
class Debounce {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Debounce(const MonitorTimes& times) : times_(times) {}
  void event(Time now);
  [[nodiscard]] std::optional<Time> due() const;
  void reset() { first_.reset(); }

 private:
  MonitorTimes times_;
  std::optional<Time> first_;
  Time last_;
};

class ChangeMonitor {
 public:
  using Changed = std::function<void(ChangedFiles)>;

  explicit ChangeMonitor(Changed changed, const MonitorTimes& times = {});
  ~ChangeMonitor();
  ChangeMonitor(const ChangeMonitor&) = delete;
  ChangeMonitor& operator=(const ChangeMonitor&) = delete;

  // Stops reporting: waits for a running call and ignores later requests. Call on the thread that
  // destroys the monitor.
  void stop();
  void notice(ChangedFiles files);
  // Reports after a while, without changed files: something must be checked again.
  void look_again();
  // The same, after the polling interval for running programs.
  void look_soon();
  // Sets what the kernel watches, replacing the previous set. Changes between the last look at the
  // files and this call are reported too.
  void watch(WatchSet files);
  // Reports what has been noticed or has changed so far without waiting for quiet, then calls
  // `done` on the monitor's thread. `look`: a look that was ordered for later is due as well. After
  // stop(), `done` is destroyed without being called.
  void settle(bool look, Job<> done);

 private:
  using Time = Debounce::Time;

  // Makes `note` in what the lock guards, and wakes the thread.
  void order(const std::function<void()>& note);
  void run();
  // One round of it. May run out of memory, and then leaves out what it had taken.
  void take_changes();
  void report();
  void wait(std::optional<Time> until) const;
  void wake() const;
  void drain() const;
  void take_orders();
  void take_events();
  void renew_watches();
  void look_later(std::chrono::milliseconds delay);
  [[nodiscard]] std::optional<Time> next_time() const;

  const Changed changed_;
  const MonitorTimes times_;
  int wake_ = -1;  // an eventfd

  std::mutex mutex_;  // guards the requests
  ChangedFiles noticed_;
  bool has_news_ = false;
  bool look_ordered_ = false;
  bool live_look_ordered_ = false;
  std::optional<WatchSet> ordered_;
  std::vector<Job<>> settled_;  // to be called after the next look at everything
  bool settling_look_ = false;
  bool ending_ = false;

  // Used by the thread only.
  std::unique_ptr<FileWatcher> watcher_;  // null while nothing is watched
  WatchSet watched_;
  bool renewal_wanted_ = false;    // directories appeared or vanished
  bool incomplete_ = false;        // watches are missing
  std::optional<Time> next_look_;  // at unwatched files
  Debounce debounce_;
  ChangedFiles gathered_;

  std::thread thread_;  // last: starts when all else exists
};

}  // namespace gprof::lsp
