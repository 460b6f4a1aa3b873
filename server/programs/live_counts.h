// The counters of running programs, as they stood when they were last looked at.
//
// A file is only ever read: the program that counts in it notices nothing. It is looked at at most
// about twice a second, whoever asks, so that all clients see the same counts. What was seen never
// falls: a count that is smaller than before was caught while it moved, and is looked at again;
// only when it still is a second later, the program must have reset it.
//
// Ownership: owns what it read, for as many files as it remembers; hands it out shared.
// Thread contract: any thread. Bounded in files; one file's counters are as large as the file.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/gmon/live_counters.h"
#include "engine/support/expected.h"
#include "engine/support/input_file.h"

namespace gprof::lsp {

enum class LiveStage : std::uint8_t {
  beginning,  // the process runs and has not counted anything yet
  running,
  killed,    // it has ended without writing its profile
  finished,  // its profile is written
};

struct LiveLook {
  LiveStage stage = LiveStage::beginning;
  // Of what the file says of itself; empty and 0 before it says something.
  std::uint32_t process = 0;
  std::uint32_t flags = 0;       // process_flags
  std::uint64_t start_time = 0;  // realtime clock, nanoseconds
  std::string profile_name;      // of the gmon file
  // It was seen running by this process, so that its end is news.
  bool was_seen_running = false;
  // Null where nothing could be read yet.
  std::shared_ptr<const LiveCounters> counters;
  // Another one when `counters` are: the size stands for the number of the look.
  FileStamp stamp;
  // Why the counters are not newer than they are.
  std::optional<Error> trouble;
};

class LiveCounts {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  using Runs = std::function<bool(std::uint32_t process, std::uint64_t start)>;

  // For tests, with a time and processes of their own; empty: those that there are.
  explicit LiveCounts(Clock clock = {}, Runs runs = {});

  // None where there is no such file.
  [[nodiscard]] std::optional<LiveLook> look(const std::filesystem::path& path);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Entry {
    LiveLook shown;
    std::uint64_t device = 0;  // of the file that has the name
    std::uint64_t inode = 0;
    Time looked_at;
    Time used;
    std::optional<Time> ended_at;  // when it was first seen that the process has ended
    std::optional<Time> fell_at;   // when counts were first seen to be smaller
    std::uint64_t looks = 0;
  };

  void look(const std::filesystem::path& path, Entry& entry);
  void take(const LiveCounters& header, Entry& entry);
  // What was read before still stands.
  void fail(Error error, Entry& entry);
  // Another file has the name, which is none of use.
  void keep(const Entry& before, Entry& entry);
  void judge(std::uint32_t process, std::uint64_t start, Entry& entry);
  void read(const std::filesystem::path& path, Entry& entry);
  void forget_oldest();

  const Clock now_;
  const Runs runs_;
  std::mutex mutex_;  // guards what follows
  std::map<std::filesystem::path, Entry> entries_;
  std::uint64_t number_ = 0;
};

}  // namespace gprof::lsp
