// What to load: programs with their shown profiles, in display order; and what to watch for
// changes.
//
// Plain values. Thread contract: as for any value.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/gmon/live_counters.h"
#include "engine/support/expected.h"
#include "engine/support/input_file.h"
#include "server/discovery/profile_reason.h"
#include "server/discovery/stamped_files.h"
#include "server/discovery/watch_set.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

// Counters of a running program, in place of a profile.
struct PlannedLive {
  std::filesystem::path path;                    // one of the program's profiles
  FileStamp stamp;                               // changes with the counters
  std::shared_ptr<const LiveCounters> counters;  // null if there is trouble
  std::uint32_t process = 0;
  bool running = false;  // false: it was killed
  std::optional<Error> trouble;

  friend bool operator==(const PlannedLive&, const PlannedLive&) = default;
};

struct PlannedProgram {
  std::filesystem::path executable;               // or shared library
  std::vector<std::filesystem::path> profiles;    // shown, summed
  std::vector<std::filesystem::path> candidates;  // newest first, including the shown ones
  std::vector<PathMapping> path_map;
  std::filesystem::path part_of;  // of a library: the executable it was profiled in
  std::vector<PlannedLive> live =
      {};  // those of `profiles` whose processes are running or were killed
  ProfileReason reason = ProfileReason::newest;  // why `profiles` are shown

  friend bool operator==(const PlannedProgram&, const PlannedProgram&) = default;
};

struct LoadPlan {
  std::vector<PlannedProgram> programs;
  // What they are compared with.
  std::optional<PlannedProgram> base;
  StampedFiles files;  // all of them, as they were when the plan was made
  Warnings warnings;
  std::vector<std::string> remarks;  // for the log
  WatchSet watch;
  // Programs are running: check them again after a while, even if no file changes.
  bool look_again = false;
};

// What the program's state is made from.
[[nodiscard]] AnalysisRequest analysis_of(const PlannedProgram& program);

// Whether loading one has the same result as loading the other.
[[nodiscard]] inline bool same_outcome(const LoadPlan& a, const LoadPlan& b) {
  return a.programs == b.programs && a.base == b.base && a.files == b.files;
}

// Whether the two differ only in the counts of running programs.
[[nodiscard]] bool differs_in_counts_alone(const LoadPlan& a, const LoadPlan& b);

}  // namespace gprof::lsp
