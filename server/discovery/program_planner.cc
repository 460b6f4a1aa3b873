#include "server/discovery/program_planner.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "engine/import/perf_data/perf_bytes.h"
#include "server/discovery/glob_pattern.h"
#include "server/discovery/library_profiles.h"
#include "server/discovery/live_files.h"
#include "server/discovery/plan_bounds.h"
#include "server/discovery/profile_names.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) { return file_stamp(path).has_value(); }

bool lies_beside_a_profile(const fs::path& file, const std::set<std::string>& names) {
  const std::string name = file.filename().string();
  if (!profile_of_sidecar(file).empty()) return true;
  for (std::size_t end = name.find('.'); end != std::string::npos; end = name.find('.', end + 1)) {
    const std::string run = name.substr(0, end);
    if (names.contains(run) && !library_part(name, run).empty()) return true;
  }
  return false;
}

void add_new(std::vector<fs::path>& list, fs::path path) {
  if (std::find(list.begin(), list.end(), path) == list.end()) list.push_back(std::move(path));
}

// Many of them.
void add_new(std::vector<fs::path>& list, const std::vector<fs::path>& paths) {
  std::unordered_set<std::string> known;
  for (const fs::path& path : list) known.insert(path.native());
  for (const fs::path& path : paths) {
    if (known.insert(path.native()).second) list.push_back(path);
  }
}

std::set<fs::path> directories_of(const std::vector<fs::path>& files) {
  std::set<fs::path> directories;
  for (const fs::path& file : files) directories.insert(file.parent_path());
  return directories;
}

void sort_newest_first(std::vector<fs::path>& files) {
  std::vector<std::pair<FileTime, fs::path>> keyed;
  for (fs::path& file : files) {
    const auto stamp = file_stamp(file);
    const bool is_known = stamp && !is_folded_name(file.filename().string());
    keyed.emplace_back(is_known ? -stamp->modified : 0, std::move(file));
  }
  std::sort(keyed.begin(), keyed.end());
  files.clear();
  for (auto& [time, file] : keyed) files.push_back(std::move(file));
}

// Where profiles go by default: the directory that the program ran in.
std::vector<fs::path> profiles_in(const std::vector<fs::path>& places, const fs::path& executable,
                                  FileCatalog& catalog) {
  const BinaryFacts* binary = catalog.binary(executable);
  std::vector<fs::path> found;
  std::unordered_set<std::string> known;
  for (const fs::path& place : places) {
    std::error_code error;
    fs::directory_iterator file(place, error);
    for (; !error && file != fs::directory_iterator(); file.increment(error)) {
      if (!is_profile_name(file->path().filename().string())) continue;
      const ProfileFacts* facts = catalog.profile(file->path());
      if (facts == nullptr) continue;
      const bool fits =
          binary == nullptr || !facts->identity || fit_of(executable, *binary, *facts) != Fit::none;
      if (fits && known.insert(file->path().native()).second) found.push_back(file->path());
    }
  }
  sort_newest_first(found);
  if (found.empty()) found.push_back(places.back() / "gmon.out");
  return found;
}

// All files that callgrind wrote of the profile's run, for its threads and parts. For other tools,
// the profile alone.
std::vector<fs::path> files_of_run(const fs::path& profile,
                                   const std::vector<fs::path>& candidates) {
  std::vector<fs::path> files = {profile};
  const std::string name = profile.filename().string();
  const std::string_view run = callgrind_run(name);
  if (run.empty()) return files;
  for (const fs::path& other : candidates) {
    const std::string other_name = other.filename().string();
    const bool is_same_run = callgrind_run(other_name) == run &&
                             other.parent_path() == profile.parent_path() && other != profile;
    if (is_same_run && is_there(other)) files.push_back(other);
  }
  std::ranges::sort(files);
  return files;
}

// Of the candidates. Patterns without matches offer no choice.
void show_newest(PlannedProgram& planned) {
  if (planned.candidates.empty()) return;
  const fs::path newest = planned.candidates.front();
  std::erase_if(planned.candidates,
                [&](const fs::path& file) { return file != newest && !is_there(file); });
  planned.profiles = files_of_run(newest, planned.candidates);
}

// Filters a pattern's files. Matches outside the bounds are not named.
std::vector<fs::path> usable_files(GlobMatches matches, const std::string& pattern,
                                   const PlanRequest& request, Warnings& warnings) {
  if (!matches.complete) {
    warnings.push_back(
        Error{ErrorCode::unsupported,
              fmt::format("this pattern names too much: of more than {} files that patterns of the "
                          "settings lead to, the others are not looked at; name a directory",
                          request.patterns.most),
              pattern,
              {}});
  }
  const Bounds& bounds = request.bounds;
  const auto outside =
      std::erase_if(matches.files, [&](const fs::path& file) { return !is_within(bounds, file); });
  if (outside > 0) warnings.push_back(bounds->refusal(pattern));
  return std::move(matches.files);
}

void add_files(const PlannedProgram& program, StampedFiles& files) {
  StampedFiles more = files_of(analysis_of(program));
  files.paths.insert(files.paths.end(), more.paths.begin(), more.paths.end());
  files.stamps.insert(files.stamps.end(), more.stamps.begin(), more.stamps.end());
}

// perf writes folders by options: `pattern` may name one that is there, or that will be there.
void watch_perf_folders(const std::string& pattern, const std::vector<fs::path>& profiles,
                        WatchSet& watch) {
  for (const fs::path& profile : profiles) {
    if (profile.filename() != perf_data::perf_folder_file) continue;
    watch.add_file(profile);
    watch.add_glob(glob_of(profile) + ".*");
  }
  if (fs::path(pattern).filename().string().starts_with("perf.data")) {
    watch.add_glob(pattern + "/data");
    watch.add_glob(pattern + "/data.*");
  }
}

}  // namespace

// A plan under construction.
struct ProgramPlanner::Draft {
  struct Group {
    PlannedProgram program;
    std::vector<fs::path> libraries;  // named by the settings
    std::vector<PlannedProgram> parts;
    FileTime newest = 0;
    LiveProfiles::Rules live = {};
  };
  std::vector<Group> groups;
  std::set<fs::path> open;        // executables of which any profile that is found is a candidate
  std::set<fs::path> live_files;  // found in the workspace
  LoadPlan plan;
  GlobBudget budget;  // for all patterns
  DirectoryListings listings;

  void add(Group group) {
    places_.emplace(group.program.executable.native(), groups.size());
    groups.push_back(std::move(group));
  }
  // Valid while groups are added, not after sorting.
  Group* find(const fs::path& executable) {
    const auto place = places_.find(executable.native());
    return place == places_.end() ? nullptr : &groups[place->second];
  }
  void clear() {
    groups.clear();
    places_.clear();
  }

 private:
  std::unordered_map<std::string, std::size_t> places_;  // by executable
};

fs::path find_in_workspace(const fs::path& path, const std::vector<fs::path>& folders) {
  if (path.is_absolute()) return path.lexically_normal();
  for (const fs::path& folder : folders) {
    if (is_there(folder / path)) return (folder / path).lexically_normal();
  }
  std::error_code error;
  const fs::path here = folders.empty() ? fs::current_path(error) : folders.front();
  return ((error ? fs::path("/") : here) / path).lexically_normal();
}

GlobMatches expand_profiles(const std::string& pattern, const fs::path& folder,
                            GlobBudget& budget) {
  const std::string path = glob_below(folder, pattern);
  GlobMatches matches = expand_glob(path, budget);
  std::vector<fs::path>& files = matches.files;
  if (files.empty()) files.push_back(literal_path(path));
  // A folder's time says nothing of when the recording in it was written.
  for (fs::path& file : files) file = perf_data::file_of_perf_folder(file);
  if (!has_wildcards(path)) return matches;
  std::set<std::string> names;
  for (const fs::path& file : files) names.insert(file.filename().string());
  std::erase_if(files, [&](const fs::path& file) { return lies_beside_a_profile(file, names); });
  if (files.empty()) files.push_back(literal_path(path));
  return matches;
}

void ProgramPlanner::add_one(const ProgramSettings& program, ProfileReason reason,
                             const PlanRequest& request, Draft& draft) {
  const auto& folders = request.workspace_folders;
  PlannedProgram planned;
  planned.executable = find_in_workspace(program.executable, folders);
  if (draft.find(planned.executable) != nullptr) return;
  Warnings& warnings = draft.plan.warnings;
  if (!check_within(request.bounds, planned.executable, warnings)) return;
  const fs::path base = folders.empty() ? planned.executable.parent_path() : folders.front();
  WatchSet& watch = draft.plan.watch;
  LiveProfiles::Rules live;
  watch.add_file(planned.executable);
  for (const std::string& pattern : program.profiles) {
    const std::string path = glob_below(base, pattern);
    if (!check_within(request.bounds, literal_directory(path), warnings)) continue;
    add_new(planned.profiles,
            usable_files(expand_profiles(pattern, base, draft.budget), path, request, warnings));
    live.patterns.push_back(path);
    watch.add_profiles(path);
    watch_perf_folders(path, planned.profiles, watch);
  }
  if (planned.profiles.empty() && !program.profiles.empty()) return;
  planned.candidates = planned.profiles;
  sort_newest_first(planned.candidates);
  if (program.newest) {
    show_newest(planned);
  } else if (!program.profiles.empty()) {
    planned.reason = reason;
  }
  if (program.profiles.empty()) {
    const std::vector<fs::path> places = {planned.executable.parent_path(), base};
    planned.candidates = profiles_in(places, planned.executable, catalog_);
    planned.profiles = files_of_run(planned.candidates.front(), planned.candidates);
    for (const fs::path& place : places) {
      watch.add_profiles(glob_of(place / "gmon.out"));
      watch.add_file(place / "gmon.sum");
    }
  }
  live.any = program.profiles.empty();
  for (const fs::path& place : directories_of(planned.candidates)) watch.add_live_files(place);
  planned.path_map = program.path_map;
  Draft::Group group{std::move(planned), {}, {}, 0, std::move(live)};
  for (const std::string& pattern : program.libraries) {
    const std::string path = glob_below(base, pattern);
    if (!check_within(request.bounds, literal_directory(path), warnings)) continue;
    add_new(group.libraries,
            usable_files(expand_glob(path, draft.budget), path, request, warnings));
    watch.add_glob(path);
  }
  draft.add(std::move(group));
}

void ProgramPlanner::add_configured(const PlanRequest& request, Draft& draft) {
  for (const ProgramSettings& program : request.choices.loaded) {
    add_one(program, ProfileReason::loaded, request, draft);
    // The newest of all: what the workspace holds counts as well.
    if (program.newest)
      draft.open.insert(find_in_workspace(program.executable, request.workspace_folders));
  }
  for (const ProgramSettings& program : request.programs) {
    add_one(program, ProfileReason::settings, request, draft);
  }
}

void ProgramPlanner::add_discovered(const PlanRequest& request, Draft& draft) {
  const auto& folders = request.workspace_folders;
  Discovery discovery = discovery_.discover(folders, request.changed, catalog_);
  const WorkspaceFiles& files = discovery_.files(folders, catalog_);
  WatchSet& watch = draft.plan.watch;
  for (const fs::path& folder : folders) watch.add_folder(folder);
  for (DiscoveredProgram& found : discovery.programs) {
    watch.add_file(found.executable);
    for (const fs::path& profile : found.profiles) {
      watch.add_directory(profile.parent_path());
      const std::string name = profile.filename().string();
      // PREFIX.PID: the next run's has a different number.
      if (is_profile_name(name)) continue;
      const std::string prefix = name.substr(0, name.find_last_not_of("0123456789.") + 1);
      watch.add_glob(glob_of(profile.parent_path() / prefix) + ".*");
    }
    if (Draft::Group* group = draft.find(found.executable)) {
      if (draft.open.contains(found.executable)) {
        add_new(group->program.candidates, found.profiles);
        sort_newest_first(group->program.candidates);
        show_newest(group->program);
      }
      continue;
    }
    PlannedProgram planned;
    planned.executable = found.executable;
    planned.profiles = files_of_run(found.profiles.front(), found.profiles);
    planned.candidates = std::move(found.profiles);
    draft.add({std::move(planned), {}, {}, 0, {{}, true}});
  }
  draft.live_files = files.live;
  for (const fs::path& binary : files.binaries) watch.add_directory(binary.parent_path());
  for (const fs::path& directory : files.directories) watch.add_directory(directory);
  Warnings& warnings = draft.plan.warnings;
  warnings.insert(warnings.end(), discovery.warnings.begin(), discovery.warnings.end());
  std::vector<std::string>& remarks = draft.plan.remarks;
  remarks.insert(remarks.end(), discovery.remarks.begin(), discovery.remarks.end());
  if (draft.groups.empty() && warnings.empty() && discovery.remarks.empty()) {
    remarks.emplace_back(
        "No profile found in the workspace: run a program under gprof-lsp record, and its gmon.out "
        "is shown; or name program and profiles in the setting gprof.programs.");
  }
  if (!files.complete) {
    draft.plan.remarks.emplace_back(
        "The workspace holds more files than were looked at for profiles: name program and "
        "profiles in the setting gprof.programs.");
  }
}

// Running programs, which may never have written a profile.
void ProgramPlanner::add_running(const PlanRequest& request, LiveProfiles& live, Draft& draft) {
  if (!request.programs.empty()) return;
  const auto& files = discovery_.files(request.workspace_folders, catalog_);
  for (const LiveProfiles::Running& running : live.running_of(files.binaries)) {
    if (draft.find(running.executable) != nullptr) continue;
    PlannedProgram planned;
    planned.executable = running.executable;
    planned.profiles = planned.candidates = {running.profile};
    draft.plan.watch.add_file(running.executable);
    draft.add({std::move(planned), {}, {}, 0, {{}, true}});
  }
}

void ProgramPlanner::add_live(const PlanRequest& request, Draft& draft) {
  if (request.live == nullptr) return;
  std::set<fs::path> files = std::move(draft.live_files);
  std::vector<fs::path> candidates;
  for (const Draft::Group& group : draft.groups) {
    candidates.insert(candidates.end(), group.program.candidates.begin(),
                      group.program.candidates.end());
    for (const fs::path& profile : group.program.profiles) {
      if (live_file_process(profile.filename().native()) != 0) files.insert(profile);
    }
  }
  files.merge(live_files_beside(candidates, draft.listings));
  LiveProfiles live(*request.live, catalog_);
  live.look(files);
  add_running(request, live, draft);
  for (Draft::Group& group : draft.groups) live.apply(group.live, group.program);
  draft.plan.look_again = live.look_again();
  Warnings& warnings = draft.plan.warnings;
  for (const Error& warning : live.warnings()) {
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) {
      warnings.push_back(warning);
    }
  }
}

void ProgramPlanner::add_libraries(const PlanRequest& request, Draft& draft) {
  for (Draft::Group& group : draft.groups) {
    const LibrarySearch search{
        group.libraries,
        [&]() -> const std::set<fs::path>& {
          return discovery_.files(request.workspace_folders, catalog_).binaries;
        },
        draft.listings};
    group.parts = libraries_of(group.program, search, catalog_, draft.plan.warnings);
    for (PlannedProgram& part : live_libraries_of(group.program)) {
      const bool known =
          std::any_of(group.parts.begin(), group.parts.end(),
                      [&](const PlannedProgram& p) { return p.executable == part.executable; });
      if (!known) group.parts.push_back(std::move(part));
    }
    for (const PlannedProgram& part : group.parts) draft.plan.watch.add_file(part.executable);
  }
}

// Planned and watched like a program of the settings, but not shown.
void ProgramPlanner::add_base(const PlanRequest& request, Draft& draft) {
  if (!request.base || draft.plan.programs.empty()) return;
  const PlannedProgram& shown = draft.plan.programs.front();
  ProgramSettings settings{request.base->executable, request.base->profiles, {}, shown.path_map};
  if (settings.executable.empty()) settings.executable = shown.executable.string();
  draft.clear();
  add_one(settings, ProfileReason::settings, request, draft);
  if (!draft.groups.empty()) draft.plan.base = std::move(draft.groups.front().program);
}

void ProgramPlanner::note_newest(const PlannedProgram& program) {
  if (program.candidates.empty()) return;
  const auto stamp = file_stamp(program.candidates.front());
  if (stamp) newest_candidates_[program.executable] = stamp->modified;
}

std::optional<FileTime> ProgramPlanner::newest_candidate(const fs::path& executable) const {
  const auto found = newest_candidates_.find(executable);
  if (found == newest_candidates_.end()) return std::nullopt;
  return found->second;
}

FileTime ProgramPlanner::newest_of(const PlannedProgram& program) {
  FileTime newest = 0;
  for (const fs::path& profile : program.profiles) {
    const auto stamp = file_stamp(profile);
    if (stamp) times_[profile] = stamp->modified;
    const auto known = times_.find(profile);
    if (known != times_.end()) newest = std::max(newest, known->second);
  }
  return newest;
}

void ProgramPlanner::put_in_order(const PlanRequest& request, Draft& draft) {
  for (Draft::Group& group : draft.groups) {
    group.newest = newest_of(group.program);
    for (const PlannedLive& live : group.program.live) {
      if (live.running) group.newest = std::numeric_limits<FileTime>::max();
    }
  }
  const auto& selection = request.choices.selection;
  const auto is_selected = [&](const Draft::Group& group) {
    return selection && group.program.executable == selection->executable;
  };
  std::stable_sort(
      draft.groups.begin(), draft.groups.end(), [&](const Draft::Group& a, const Draft::Group& b) {
        return std::pair(is_selected(b), b.newest) < std::pair(is_selected(a), a.newest);
      });
  std::set<fs::path> planned;
  for (const Draft::Group& group : draft.groups) {
    planned.insert(group.program.profiles.begin(), group.program.profiles.end());
  }
  std::erase_if(times_, [&](const auto& entry) { return !planned.contains(entry.first); });
}

namespace {

// A profile has been written since the choice. Only times of files are compared: the clock of a
// file system is not that of the server.
bool is_outdated(const ProgramSelection& selection, const PlannedProgram& program,
                 std::optional<FileTime> newest) {
  if (selection.pinned || !selection.newest_known || !newest) return false;
  return *newest > *selection.newest_known &&
         std::ranges::find(selection.profiles, program.candidates.front()) ==
             selection.profiles.end();
}

// Shows what was chosen by hand instead, as far as it still exists.
void apply_selection(const ProgramSelection& selection, std::optional<FileTime> newest,
                     PlannedProgram& program, std::vector<std::string>& remarks) {
  if (selection.profiles.empty() || is_outdated(selection, program, newest)) return;
  std::vector<fs::path> chosen;
  for (const fs::path& profile : selection.profiles) {
    const bool candidate =
        std::ranges::find(program.candidates, profile) != program.candidates.end();
    if (!candidate && !is_there(profile)) continue;
    for (const fs::path& file : files_of_run(profile.lexically_normal(), program.candidates)) {
      add_new(chosen, file);
    }
  }
  if (chosen.empty()) {
    remarks.push_back(fmt::format("{}: the profiles that were chosen are no longer there.",
                                  program.executable.string()));
    return;
  }
  for (const fs::path& profile : chosen) add_new(program.candidates, profile);
  program.profiles = std::move(chosen);
  program.reason = selection.pinned ? ProfileReason::pinned : ProfileReason::chosen;
}

}  // namespace

void ProgramPlanner::add_selected(const PlanRequest& request, Draft& draft) {
  const auto& selection = request.choices.selection;
  const bool allowed =
      selection && check_within(request.bounds, selection->executable, draft.plan.warnings);
  // Chosen in an earlier session, when it was loaded by hand.
  if (allowed && draft.find(selection->executable) == nullptr && is_there(selection->executable)) {
    add_one({selection->executable.string(), {}, {}, {}}, ProfileReason::loaded, request, draft);
  }
  newest_candidates_.clear();
  for (const Draft::Group& group : draft.groups) note_newest(group.program);
  if (!allowed) return;
  if (Draft::Group* group = draft.find(selection->executable)) {
    apply_selection(*selection, newest_candidate(selection->executable), group->program,
                    draft.plan.remarks);
    group->live.any = group->live.any && selection->profiles.empty();
  } else {
    draft.plan.remarks.push_back(fmt::format("{}: the program that was chosen is no longer there.",
                                             selection->executable.string()));
  }
}

LoadPlan ProgramPlanner::plan(const PlanRequest& request) {
  Draft draft;
  draft.budget = request.patterns;
  catalog_.forget_if_large();
  catalog_.begin_look();
  if (request.choices.cleared) return {};
  add_configured(request, draft);
  if (request.programs.empty()) add_discovered(request, draft);
  add_selected(request, draft);
  add_live(request, draft);
  add_libraries(request, draft);
  put_in_order(request, draft);
  for (Draft::Group& group : draft.groups) {
    draft.plan.programs.push_back(std::move(group.program));
    for (PlannedProgram& part : group.parts) draft.plan.programs.push_back(std::move(part));
  }
  add_base(request, draft);
  keep_within(request.bounds, draft.plan);
  for (const PlannedProgram& program : draft.plan.programs) add_files(program, draft.plan.files);
  if (draft.plan.base) add_files(*draft.plan.base, draft.plan.files);
  return std::move(draft.plan);
}

}  // namespace gprof::lsp
