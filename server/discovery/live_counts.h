// The counters of running programs, as last read.
//
// Files are only read: the counting program is not affected. A file is read at most about twice a
// second, whoever asks, so that all clients see the same counts. Reported counts never fall: a
// count smaller than before was caught mid-update, and is read again; only if it still is smaller a
// second later, the program must have reset it.
//
// Ownership: owns what it read, for a bounded number of files, and shares it with callers.
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
  killed,    // it ended without writing its profile
  finished,  // its profile is written
};

struct LiveLook {
  LiveStage stage = LiveStage::beginning;
  // From the file's header; empty and 0 until that is written.
  std::uint32_t process = 0;
  std::uint32_t flags = 0;       // process_flags
  std::uint64_t start_time = 0;  // realtime clock, nanoseconds
  std::string profile_name;      // of the gmon file
  // This server saw it running, so its end is news.
  bool was_seen_running = false;
  // Null if nothing could be read yet.
  std::shared_ptr<const LiveCounters> counters;
  // Changes with `counters`: its size is the number of the look.
  FileStamp stamp;
  // Why the counters are not up to date.
  std::optional<Error> trouble;
};

class LiveCounts {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;
  using Runs = std::function<bool(std::uint32_t process, std::uint64_t start)>;

  // Tests pass their own clock and processes; empty: the real ones.
  explicit LiveCounts(Clock clock = {}, Runs runs = {});

  // None if there is no such file.
  [[nodiscard]] std::optional<LiveLook> look(const std::filesystem::path& path);

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Entry {
    LiveLook shown;
    std::uint64_t device = 0;  // of the file with this name
    std::uint64_t inode = 0;
    Time looked_at;
    Time used;
    std::optional<Time> ended_at;  // when the process was first seen to have ended
    std::optional<Time> fell_at;   // when counts were first seen to be smaller
    std::uint64_t looks = 0;
  };

  void look(const std::filesystem::path& path, Entry& entry);
  void take(const LiveCounters& header, Entry& entry);
  // Earlier counters remain valid.
  void fail(Error error, Entry& entry);
  // A different file has the name, and it is unusable.
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
