// Debug information from outside: where caches of it lie, and the servers of DEBUGINFOD_URLS.
//
// Nothing is ever fetched unless that variable is set. What could not be had is not asked for
// again, until the user has everything loaded again: a server that does not answer would hold up
// every load.
// Ownership: shared by all clients of the process. Thread contract: any thread. Errors: an outcome
// that says in words why nothing was brought.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "engine/object/debug_file.h"

namespace gprof::lsp {

// Ends a fetch from which nothing comes any more, or that takes too long.
class FetchPatience {
 public:
  using Clock = std::chrono::steady_clock;

  FetchPatience(Clock::time_point start, std::chrono::seconds silence)
      : silence_(silence), start_(start), heard_(start) {}
  // Whether to go on, having been told so by DebuginfodLibrary::Progress.
  bool goes_on(long done, long total, Clock::time_point now);

 private:
  std::chrono::seconds silence_;
  Clock::time_point start_;
  Clock::time_point heard_;
  long done_ = 0;
};

class DebugFileServers {
 public:
  struct Environment {
    std::string urls;         // DEBUGINFOD_URLS
    std::string cache;        // DEBUGINFOD_CACHE_PATH
    std::string timeout;      // DEBUGINFOD_TIMEOUT, in seconds
    std::string user_caches;  // XDG_CACHE_HOME
    std::string home;         // HOME
  };
  static Environment environment();

  explicit DebugFileServers(const Environment& environment);

  // Without a source.
  [[nodiscard]] DebugFileSearch search() const;
  [[nodiscard]] bool are_named() const { return are_named_; }

  // Called as by DebuginfodLibrary. False: the fetch ends.
  using Progress = std::function<bool(long done, long total)>;
  struct Outcome {
    std::optional<std::filesystem::path> path;
    bool gave_up = false;  // it may be there nevertheless
    std::string message;   // empty if there is nothing to say
  };
  // `name`: of the file that it is for.
  [[nodiscard]] Outcome fetch(const std::string& build_id_hex, const std::string& name,
                              const Progress& progress);
  // What was not brought is asked for again.
  void try_again();

 private:
  [[nodiscard]] std::optional<Outcome> known(const std::string& build_id_hex) const;
  void remember(const std::string& build_id_hex, bool gave_up, bool silent);

  DebugFileSearch search_;
  bool are_named_ = false;
  std::chrono::seconds silence_;

  mutable std::mutex mutex_;  // guards what follows
  std::uint64_t attempt_ = 0;
  std::set<std::string> absent_;    // no server has them
  std::set<std::string> given_up_;  // stopped, or failed
  bool silent_ = false;             // the servers do not answer
};

}  // namespace gprof::lsp
