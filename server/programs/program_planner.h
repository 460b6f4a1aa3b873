// Decides what is to be loaded, from the settings, the user's choices and what the workspace holds.
//
// The order in which programs are shown: the chosen one, then the others by their newest profile,
// newest first; behind each its libraries.
// Ownership: keeps what it found out about files. Thread contract: one thread at a time.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "engine/support/folder_bounds.h"
#include "server/programs/discovery.h"
#include "server/programs/file_catalog.h"
#include "server/programs/glob_pattern.h"
#include "server/programs/live_profiles.h"
#include "server/programs/program_choices.h"
#include "server/programs/program_plan.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

struct PlanRequest {
  std::vector<ProgramSettings> programs;  // of the settings; empty: look for them
  std::vector<std::filesystem::path> workspace_folders;
  ProgramChoices choices;  // with absolute paths in the selection
  ChangedFiles changed;    // since the last plan
  // What is compared with; without an executable, profiles of the program that is shown first.
  std::optional<BaseSettings> base = std::nullopt;
  LiveCounts* live = nullptr;          // null: running programs are not shown
  Bounds bounds = nullptr;             // of the programs and profiles that are planned
  GlobBudget patterns = GlobBudget();  // for all of them
};

class ProgramPlanner {
 public:
  [[nodiscard]] LoadPlan plan(const PlanRequest& request);

 private:
  struct Draft;

  void add_configured(const PlanRequest& request, Draft& draft);
  void add_one(const ProgramSettings& program, const PlanRequest& request, Draft& draft);
  void add_discovered(const PlanRequest& request, Draft& draft);
  void add_live(const PlanRequest& request, Draft& draft);
  void add_running(const PlanRequest& request, LiveProfiles& live, Draft& draft);
  void add_libraries(const PlanRequest& request, Draft& draft);
  [[nodiscard]] FileTime newest_of(const PlannedProgram& program);
  void add_base(const PlanRequest& request, Draft& draft);
  void put_in_order(const PlanRequest& request, Draft& draft);

  FileCatalog catalog_;
  WorkspaceDiscovery discovery_;
  // Of the profiles of the last plan: one that has gone keeps its place.
  std::map<std::filesystem::path, FileTime> times_;
};

// A relative path: below the first workspace folder that has such a file, else below the first one.
[[nodiscard]] std::filesystem::path find_in_workspace(
    const std::filesystem::path& path, const std::vector<std::filesystem::path>& folders);

// The files that a pattern of glob_pattern.h names, relative to `folder` where it is relative;
// sorted. A pattern that names nothing stands for itself. What lies beside profiles (sidecars,
// libraries' profiles, files that are being written) is left out where a wildcard names it.
[[nodiscard]] GlobMatches expand_profiles(const std::string& pattern,
                                          const std::filesystem::path& folder, GlobBudget& budget);

}  // namespace gprof::lsp
