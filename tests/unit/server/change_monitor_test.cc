#include "server/loading/change_monitor.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace gprof::lsp;
using namespace gprof::test;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path;
  explicit Folder(const std::string& name) : path(fresh_directory(name)) {}
  ~Folder() { fs::remove_all(path); }

  void write(const std::string& name, const std::string& text = "text") const {
    fs::create_directories((path / name).parent_path());
    write_file(path / name, text);
  }
};

// What a monitor reported, for a thread that waits for it.
class Told {
 public:
  void add(ChangedFiles files) {
    const std::lock_guard lock(mutex_);
    files_.push_back(std::move(files));
    arrived_.notify_all();
  }
  // Waits until one of the reports satisfies the condition.
  template <typename Condition>
  bool wait_for(Condition condition) {
    std::unique_lock lock(mutex_);
    return arrived_.wait_for(lock, 60s,
                             [&] { return std::any_of(files_.begin(), files_.end(), condition); });
  }
  bool wait_for_path(const fs::path& path) {
    return wait_for([&](const ChangedFiles& files) { return files.paths.contains(path); });
  }
  bool wait_for_more_than(std::size_t count) {
    std::unique_lock lock(mutex_);
    return arrived_.wait_for(lock, 60s, [&] { return files_.size() > count; });
  }
  ChangedFiles last() {
    const std::lock_guard lock(mutex_);
    return files_.back();
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return files_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<ChangedFiles> files_;
};

}  // namespace

TEST_CASE("changes are due after a time of quiet, and at the latest after a longer one") {
  const MonitorTimes times{200ms, 1000ms, 2000ms};
  Debounce debounce(times);
  const Debounce::Time start{};
  CHECK_FALSE(debounce.due());
  debounce.event(start);
  CHECK(debounce.due() == start + 200ms);
  debounce.event(start + 150ms);
  CHECK(debounce.due() == start + 350ms);
  for (auto at = 300ms; at < 1000ms; at += 150ms) debounce.event(start + at);
  CHECK(debounce.due() == start + 1000ms);
  debounce.reset();
  CHECK_FALSE(debounce.due());
  debounce.event(start + 3000ms);
  CHECK(debounce.due() == start + 3200ms);
}

TEST_CASE("what is noticed within a moment is told together") {
  Told told;
  ChangeMonitor monitor([&](ChangedFiles files) { told.add(std::move(files)); });
  monitor.notice({{"/a"}, false});
  monitor.notice({{"/b"}, false});
  CHECK(told.wait_for(
      [](const ChangedFiles& files) { return files.paths.size() == 2 && !files.any; }));
  CHECK(told.count() == 1);
  monitor.notice({{}, true});
  CHECK(told.wait_for([](const ChangedFiles& files) { return files.any; }));
}

TEST_CASE("a monitor hears of files that are written, renamed and removed") {
  const Folder folder("monitor-files");
  Told told;
  ChangeMonitor monitor([&](ChangedFiles files) { told.add(std::move(files)); });
  WatchSet watch;
  watch.add_folder(folder.path);
  monitor.watch(watch);
  // What existed before it watched must be checked.
  REQUIRE(told.wait_for([](const ChangedFiles&) { return true; }));
  folder.write("gmon.out");
  CHECK(told.wait_for_path(folder.path / "gmon.out"));
  folder.write("made.tmp");
  fs::rename(folder.path / "made.tmp", folder.path / "gmon.out.7");
  CHECK(told.wait_for_path(folder.path / "gmon.out.7"));
  const auto removed = folder.path / "gmon.sum";
  folder.write("gmon.sum");
  CHECK(told.wait_for_path(removed));
  const std::size_t before = told.count();
  fs::remove(removed);
  CHECK(told.wait_for_more_than(before));
}

TEST_CASE("a monitor hears of files in directories that come later") {
  const Folder folder("monitor-directories");
  Told told;
  ChangeMonitor monitor([&](ChangedFiles files) { told.add(std::move(files)); });
  WatchSet watch;
  watch.add_file(folder.path / "build" / "debug" / "prog");
  monitor.watch(watch);
  REQUIRE(told.wait_for([](const ChangedFiles&) { return true; }));
  const std::size_t before = told.count();
  fs::create_directories(folder.path / "build" / "debug");
  // It is watched by now: whatever came with it must be checked.
  REQUIRE(told.wait_for_more_than(before));
  folder.write("build/debug/prog");
  CHECK(told.wait_for_path(folder.path / "build" / "debug" / "prog"));
  // Deleted and created again.
  const std::size_t written = told.count();
  fs::remove_all(folder.path / "build");
  REQUIRE(told.wait_for_more_than(written));
  const std::size_t removed = told.count();
  folder.write("build/debug/prog");
  CHECK(told.wait_for_more_than(removed));
}

TEST_CASE("a directory that is watched from now on is to be searched again") {
  const Folder folder("monitor-growing");
  fs::create_directories(folder.path / "build");
  Told told;
  ChangeMonitor monitor([&](ChangedFiles files) { told.add(std::move(files)); });
  const auto any = [](const ChangedFiles& files) { return files.any; };
  WatchSet watch;
  watch.add_folder(folder.path);
  monitor.watch(watch);
  REQUIRE(told.wait_for(any));
  // As that search finds it; a file created while it searched is not reported.
  const std::size_t before = told.count();
  watch.add_directory(folder.path / "build");
  monitor.watch(watch);
  REQUIRE(told.wait_for_more_than(before));
  CHECK(told.last().any);
  // A file in a directory that is already watched.
  const std::size_t searched = told.count();
  watch.add_file(folder.path / "build" / "prog");
  monitor.watch(watch);
  REQUIRE(told.wait_for_more_than(searched));
  CHECK_FALSE(told.last().any);
}

TEST_CASE("files that concern nobody are not told of") {
  const Folder folder("monitor-others");
  Told told;
  ChangeMonitor monitor([&](ChangedFiles files) { told.add(std::move(files)); });
  WatchSet watch;
  watch.add_file(folder.path / "prog");
  monitor.watch(watch);
  REQUIRE(told.wait_for([](const ChangedFiles&) { return true; }));
  for (int i = 0; i < 100; ++i) folder.write("object" + std::to_string(i) + ".o");
  folder.write("prog");
  REQUIRE(told.wait_for_path(folder.path / "prog"));
  CHECK(told.count() == 2);
}

TEST_CASE("a watcher takes no more watches than it may, and gives them back") {
  const Folder folder("watcher");
  std::vector<fs::path> directories;
  for (std::size_t i = 0; i < FileWatcher::most_watches + 10; ++i) {
    directories.push_back(folder.path / std::to_string(i));
    fs::create_directory(directories.back());
  }
  FileWatcher watcher;
  REQUIRE(watcher.ok());
  CHECK_FALSE(watcher.watch(directories).complete);
  CHECK(watcher.watches() <= FileWatcher::most_watches);
  directories.resize(3);
  CHECK(watcher.watch(directories).complete);
  CHECK(watcher.watches() == 3);
  const auto fewer = watcher.watch({folder.path / "0", folder.path / "missing" / "below"});
  CHECK(fewer.complete);
  CHECK(fewer.new_directories == std::vector<fs::path>{folder.path});
  CHECK(watcher.watches() == 2);
  CHECK(watcher.watch({}).complete);
  CHECK(watcher.watches() == 0);
}

TEST_CASE("a monitor that is to settle reports at once what has changed before") {
  const Folder folder("monitor-settles");
  Told told;
  // Without being asked, it would report after a minute.
  const MonitorTimes slow{60s, 60s, 60s, 60s};
  ChangeMonitor monitor([&](ChangedFiles files) { told.add(std::move(files)); }, slow);
  const auto settle = [&](bool look) {
    std::promise<void> settled;
    monitor.settle(look, [&] { settled.set_value(); });
    settled.get_future().wait();
  };
  settle(false);
  CHECK(told.count() == 0);
  WatchSet watch;
  watch.add_file(folder.path / "prog");
  monitor.watch(watch);
  settle(false);
  REQUIRE(told.count() == 1);
  folder.write("prog");
  settle(false);
  REQUIRE(told.count() == 2);
  CHECK(told.last().paths.contains(folder.path / "prog"));
  settle(false);
  CHECK(told.count() == 2);
  settle(true);
  CHECK(told.count() == 2);
  // Ordered for a minute later.
  monitor.look_again();
  settle(false);
  CHECK(told.count() == 2);
  settle(true);
  CHECK(told.count() == 3);
}

TEST_CASE("who waits for a monitor to settle is dropped when it stops") {
  const auto token = std::make_shared<int>(0);
  {
    ChangeMonitor monitor([](const ChangedFiles&) {});
    monitor.stop();
    monitor.settle(true, [token] {});
  }
  CHECK(token.use_count() == 1);
}
