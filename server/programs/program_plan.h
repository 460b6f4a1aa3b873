// What is to be loaded: programs with the profiles that are shown of them, in the order in which
// they are shown; and what to watch for it to change.
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
#include "server/programs/stamped_files.h"
#include "server/programs/watch_set.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

// Counters of a running program, in the place of a profile.
struct PlannedLive {
  std::filesystem::path path;                    // one of the program's profiles
  FileStamp stamp;                               // of the counters: another one when they are
  std::shared_ptr<const LiveCounters> counters;  // null where there is trouble
  std::uint32_t process = 0;
  bool running = false;  // false: it was killed
  std::optional<Error> trouble;

  friend bool operator==(const PlannedLive&, const PlannedLive&) = default;
};

struct PlannedProgram {
  std::filesystem::path executable;               // or shared library
  std::vector<std::filesystem::path> profiles;    // shown, summed
  std::vector<std::filesystem::path> candidates;  // newest first; those that are shown among them
  std::vector<PathMapping> path_map;
  std::filesystem::path part_of;  // of a library: the executable it was profiled in
  std::vector<PlannedLive> live =
      {};  // of the profiles, those of processes that run or were killed

  friend bool operator==(const PlannedProgram&, const PlannedProgram&) = default;
};

struct LoadPlan {
  std::vector<PlannedProgram> programs;
  // What they are compared with.
  std::optional<PlannedProgram> base;
  StampedFiles files;  // of all of them, as they were when the plan was made
  Warnings warnings;
  std::vector<std::string> remarks;  // for the log
  WatchSet watch;
  // Programs are running: they are to be looked at again after a while, though no file changes.
  bool look_again = false;
};

// What the program's state is made from.
[[nodiscard]] AnalysisRequest analysis_of(const PlannedProgram& program);

// Whether loading one gives what loading the other gave.
[[nodiscard]] inline bool same_outcome(const LoadPlan& a, const LoadPlan& b) {
  return a.programs == b.programs && a.base == b.base && a.files == b.files;
}

// Whether the two differ in what running programs have counted, and in nothing else.
[[nodiscard]] bool differs_in_counts_alone(const LoadPlan& a, const LoadPlan& b);

}  // namespace gprof::lsp
