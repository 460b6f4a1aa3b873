// Waits until changes of files have come to rest, and says then what has changed.
//
// Builds and programs write their files in many steps. A change is told after a time of quiet, and
// while there is none, after a longer one.
// Changes come from notice(), from the kernel for the directories that watch() names, and, where
// the kernel gives no watches, by asking now and then.
// Ownership: owns a thread. Thread contract: notice() and watch() from any thread; `changed` is
// called on the monitor's thread. The destructor ends the thread and waits for a call that runs.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "server/programs/discovery.h"
#include "server/programs/file_watcher.h"
#include "server/programs/watch_set.h"

namespace gprof::lsp {

struct MonitorTimes {
  std::chrono::milliseconds quiet{200};
  std::chrono::milliseconds longest_unrest{1000};
  // Between two looks at files that nobody tells of.
  std::chrono::milliseconds between_looks{2000};
  // Between two looks at programs that run, less `quiet`.
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

  // Tells of nothing any more: waits for a call that runs, and what is asked for from now on is
  // forgotten. By the thread that destroys it.
  void stop();
  void notice(ChangedFiles files);
  // Tells of no changed files after a while: something is to be looked at once more.
  void look_again();
  // The same, after the time between two looks at programs that run.
  void look_soon();
  // What the kernel is asked to tell of; replaces what was watched before. What changed between a
  // look at the files and this call is told too.
  void watch(WatchSet files);

 private:
  using Time = Debounce::Time;

  void run();
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

  std::mutex mutex_;  // guards the orders
  ChangedFiles noticed_;
  bool has_news_ = false;
  bool look_ordered_ = false;
  bool live_look_ordered_ = false;
  std::optional<WatchSet> ordered_;
  bool ending_ = false;

  // The thread's own.
  std::unique_ptr<FileWatcher> watcher_;  // null while there is nothing to watch
  WatchSet watched_;
  bool renewal_wanted_ = false;    // directories have come or gone
  bool incomplete_ = false;        // watches are missing
  std::optional<Time> next_look_;  // at what nobody tells of
  Debounce debounce_;
  ChangedFiles gathered_;

  std::thread thread_;  // last: begins when all else is there
};

}  // namespace gprof::lsp
