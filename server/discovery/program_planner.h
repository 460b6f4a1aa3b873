// Decides what to load, from the settings, the user's choices and the contents of the workspace.
//
// Display order: the chosen program, then the others by their newest profile, newest first; each
// followed by its libraries.
// Ownership: caches facts about files. Thread contract: one thread at a time.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "engine/support/folder_bounds.h"
#include "server/discovery/discovery.h"
#include "server/discovery/file_catalog.h"
#include "server/discovery/glob_pattern.h"
#include "server/discovery/live_profiles.h"
#include "server/discovery/program_choices.h"
#include "server/discovery/program_plan.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

struct PlanRequest {
  std::vector<ProgramSettings> programs;  // from the settings; empty: search for them
  std::vector<std::filesystem::path> workspace_folders;
  ProgramChoices choices;  // with absolute paths in the selection
  ChangedFiles changed;    // since the last plan
  // What to compare with; without an executable, profiles of the first program.
  std::optional<BaseSettings> base = std::nullopt;
  LiveCounts* live = nullptr;          // null: running programs are not shown
  Bounds bounds = nullptr;             // on the planned programs and profiles
  GlobBudget patterns = GlobBudget();  // for all patterns together
};

class ProgramPlanner {
 public:
  [[nodiscard]] LoadPlan plan(const PlanRequest& request);

  // The time of a program's newest profile in the last plan, whether shown or not.
  [[nodiscard]] std::optional<FileTime> newest_candidate(
      const std::filesystem::path& executable) const;

 private:
  struct Draft;

  void add_configured(const PlanRequest& request, Draft& draft);
  // `reason`: if its profiles are named.
  void add_one(const ProgramSettings& program, ProfileReason reason, const PlanRequest& request,
               Draft& draft);
  void add_discovered(const PlanRequest& request, Draft& draft);
  void add_live(const PlanRequest& request, Draft& draft);
  void add_running(const PlanRequest& request, LiveProfiles& live, Draft& draft);
  void add_libraries(const PlanRequest& request, Draft& draft);
  void add_selected(const PlanRequest& request, Draft& draft);
  void note_newest(const PlannedProgram& program);
  [[nodiscard]] FileTime newest_of(const PlannedProgram& program);
  void add_base(const PlanRequest& request, Draft& draft);
  void put_in_order(const PlanRequest& request, Draft& draft);

  FileCatalog catalog_;
  WorkspaceDiscovery discovery_;
  // Times of the last plan's profiles: one that has vanished keeps its place.
  std::map<std::filesystem::path, FileTime> times_;
  std::map<std::filesystem::path, FileTime> newest_candidates_;  // by executable, of the last plan
};

// A relative path: below the first workspace folder that has such a file, else below the first
// folder.
[[nodiscard]] std::filesystem::path find_in_workspace(
    const std::filesystem::path& path, const std::vector<std::filesystem::path>& folders);

// The files that match a glob_pattern.h pattern, relative to `folder` if it is relative; sorted. A
// pattern without matches stands for itself. Companions of profiles (sidecars, libraries' profiles,
// files being written) are left out if matched by a wildcard.
[[nodiscard]] GlobMatches expand_profiles(const std::string& pattern,
                                          const std::filesystem::path& folder, GlobBudget& budget);

}  // namespace gprof::lsp
