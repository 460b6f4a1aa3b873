// What is to be loaded: programs with the profiles that are shown of them, in the order in which
// they are shown; and what to watch for it to change.
//
// Plain values. Thread contract: as for any value.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/support/expected.h"
#include "server/programs/snapshot_cache.h"
#include "server/programs/watch_set.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

struct PlannedProgram {
  std::filesystem::path executable;               // or shared library
  std::vector<std::filesystem::path> profiles;    // shown, summed
  std::vector<std::filesystem::path> candidates;  // newest first; those that are shown among them
  std::vector<PathMapping> path_map;
  std::filesystem::path part_of;  // of a library: the executable it was profiled in

  friend bool operator==(const PlannedProgram&, const PlannedProgram&) = default;
};

struct LoadPlan {
  std::vector<PlannedProgram> programs;
  StampedFiles files;  // of all of them, as they were when the plan was made
  Warnings warnings;
  std::vector<std::string> remarks;  // for the log
  WatchSet watch;
};

// Whether loading one gives what loading the other gave.
[[nodiscard]] inline bool same_outcome(const LoadPlan& a, const LoadPlan& b) {
  return a.programs == b.programs && a.files == b.files;
}

}  // namespace gprof::lsp
