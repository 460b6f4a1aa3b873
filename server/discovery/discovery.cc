#include "server/discovery/discovery.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "engine/support/hexadecimal.h"
#include "server/discovery/profile_names.h"
#include "server/discovery/program_candidates.h"

namespace gprof::lsp {
namespace {

namespace fs = std::filesystem;

// Beyond this many changes at once, everything is checked.
constexpr std::size_t most_changes = 4096;

bool lies_in(const fs::path& path, const std::vector<fs::path>& folders) {
  return std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
    const fs::path relative = path.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != "..";
  });
}

// NAME.SONAME next to a profile NAME is loaded with it.
bool belongs_to_a_library(const fs::path& path, const std::set<fs::path>& profiles) {
  const std::string name = path.filename().string();
  if (is_profile_name(name)) return false;
  for (std::size_t end = name.find('.'); end != std::string::npos; end = name.find('.', end + 1)) {
    const std::string run = name.substr(0, end);
    const bool is_run = is_profile_name(run) || profiles.contains(path.parent_path() / run);
    if (is_run && !library_part(name, run).empty()) return true;
  }
  return false;
}

// The program that the profile's sidecar names, wherever it lies; empty unless it is the very build
// that ran.
fs::path program_of_sidecar(const fs::path& profile, const GmonIdentity& identity,
                            FileCatalog& catalog) {
  if (!identity.build_id_prefix) return {};
  const std::string prefix = hexadecimal(*identity.build_id_prefix);
  for (const SidecarModule& module : catalog.modules(profile)) {
    fs::path path = module.path;
    if (!path.is_absolute() || !module.build_id.starts_with(prefix)) continue;
    const BinaryFacts* facts = catalog.binary(path);
    if (facts != nullptr && facts->is_program && fit_of(*facts, identity) == Fit::build_id) {
      return path;
    }
  }
  return {};
}

// Adds what an earlier search has found to one that was interrupted.
void keep_known(const WorkspaceFiles& known, WorkspaceFiles& found) {
  found.profiles.insert(known.profiles.begin(), known.profiles.end());
  found.live.insert(known.live.begin(), known.live.end());
  found.binaries.insert(known.binaries.begin(), known.binaries.end());
  if (found.directories.size() < known.directories.size()) found.directories = known.directories;
}

Error no_executable(const fs::path& profile) {
  return {ErrorCode::not_found,
          "no executable of the workspace fits this profile: name it in the setting gprof.programs",
          profile.string(), std::nullopt};
}

std::string why_left_out(const fs::path& profile, const ProfileFacts& facts) {
  if (!facts.left_out.empty()) return fmt::format("{}: {}", profile.string(), facts.left_out);
  const std::string program = facts.program.filename().string();
  const std::string reason =
      program.empty()
          ? "does not name its program"
          : fmt::format("a profile of {}, and the workspace has no executable of that name",
                        program);
  return fmt::format("{}: {}; name both in the setting gprof.programs", profile.string(), reason);
}

// The first of them, and the number of the others.
std::vector<std::string> shortened(std::vector<std::string> remarks) {
  constexpr std::size_t max_remarks = 10;
  if (remarks.size() <= max_remarks) return remarks;
  const std::size_t more = remarks.size() - max_remarks;
  remarks.resize(max_remarks);
  remarks.push_back(fmt::format("{} more files of other tools are not shown.", more));
  return remarks;
}

}  // namespace

void ChangedFiles::add(ChangedFiles more) {
  paths.merge(more.paths);
  any = any || more.any || paths.size() > most_changes;
  if (any) paths.clear();
}

void WorkspaceDiscovery::search(FileCatalog& catalog) {
  WorkspaceFiles found = search_workspace(folders_, limits_);
  if (found.interrupted) keep_known(files_, found);
  files_ = std::move(found);
  searched_ = true;
  std::set<fs::path> all = files_.profiles;
  all.insert(files_.binaries.begin(), files_.binaries.end());
  catalog.forget_all_but(all);
}

void WorkspaceDiscovery::take_notice(const ChangedFiles& changed) {
  for (const fs::path& path : changed.paths) {
    if (!lies_in(path, folders_)) continue;
    consider_path(path, limits_, files_);
    // A collector that writes both writes the sidecar first.
    const fs::path profile = profile_of_sidecar(path);
    if (!profile.empty()) consider_path(profile, limits_, files_);
  }
}

struct WorkspaceDiscovery::Assignment {
  FileCatalog& catalog;
  Warnings& warnings;
  std::vector<std::string> left_out = {};
  std::optional<ProgramCandidates> candidates = std::nullopt;  // created on first use
};

void WorkspaceDiscovery::assign(const fs::path& profile, Assignment& assignment) {
  Warnings& warnings = assignment.warnings;
  const ProfileFacts* facts = assignment.catalog.profile(profile);
  if (facts == nullptr) return;
  // callgrind leaves this file empty if it writes one for each thread.
  if (facts->stamp.size == 0 && !callgrind_run(profile.filename().string()).empty()) return;
  const auto known = owners_.find(profile);
  const bool owned = known != owners_.end();
  // Damaged or incomplete: its owner can only be known from before.
  if (!facts->identity) {
    if (owned) {
      known->second.profile = facts->stamp;
    } else {
      warnings.push_back(facts->identity.error());
    }
    return;
  }
  const fs::path owner = owned ? known->second.executable : fs::path();
  if (owned && known->second.profile == facts->stamp && file_stamp(owner)) return;
  auto& candidates = assignment.candidates;
  if (!candidates) candidates.emplace(files_.binaries, assignment.catalog);
  ProgramCandidates::Match match = candidates->best_for(profile, *facts, owner);
  if (match.fit != Fit::build_id) {
    fs::path named = program_of_sidecar(profile, *facts->identity, assignment.catalog);
    if (!named.empty()) match = {std::move(named), Fit::build_id};
  }
  const bool sure = match.fit == Fit::text_range || match.fit == Fit::build_id;
  // A missing executable may be being built.
  if (owned && known->second.profile == facts->stamp && !sure) return;
  if (match.fit == Fit::none) {
    // An executable that exists but cannot be read now may be being linked.
    if (owned && file_stamp(owner) && assignment.catalog.binary(owner) == nullptr) return;
    owners_.erase(profile);
    // Another tool's profiles may be of unrelated programs.
    if (!facts->program.empty()) {
      assignment.left_out.push_back(why_left_out(profile, *facts));
      return;
    }
    const auto lonely = unowned_.find(profile);
    wants_search_ = wants_search_ || lonely == unowned_.end() || lonely->second != facts->stamp;
    unowned_[profile] = facts->stamp;
    warnings.push_back(no_executable(profile));
    return;
  }
  unowned_.erase(profile);
  wants_search_ = wants_search_ || (!owned && !sure);
  owners_[profile] = {match.executable, facts->stamp};
}

Discovery WorkspaceDiscovery::assign(FileCatalog& catalog) {
  Discovery discovery;
  std::erase_if(unowned_,
                [&](const auto& entry) { return !files_.profiles.contains(entry.first); });
  wants_search_ = false;
  catalog.begin_look();
  Assignment assignment{catalog, discovery.warnings};
  for (const fs::path& profile : files_.profiles) {
    if (belongs_to_a_library(profile, files_.profiles)) continue;
    assign(profile, assignment);
  }
  discovery.remarks = shortened(std::move(assignment.left_out));
  return discovery;
}

// A vanished profile that is shown stays; others have nothing left to show.
void WorkspaceDiscovery::forget_vanished() {
  std::map<fs::path, FileTime> newest;
  for (const auto& [profile, owner] : owners_) {
    FileTime& time = newest[owner.executable];
    time = std::max(time, owner.profile.modified);
  }
  std::erase_if(owners_, [&](const auto& entry) {
    const auto& [profile, owner] = entry;
    if (!lies_in(profile, folders_)) return true;
    return !files_.profiles.contains(profile) && owner.profile.modified < newest[owner.executable];
  });
}

std::vector<DiscoveredProgram> WorkspaceDiscovery::by_executable() const {
  std::vector<std::pair<FileTime, fs::path>> newest_first;
  for (const auto& [profile, owner] : owners_) {
    const bool is_last = is_folded_name(profile.filename().string());
    newest_first.emplace_back(is_last ? 0 : -owner.profile.modified, profile);
  }
  std::sort(newest_first.begin(), newest_first.end());
  std::vector<DiscoveredProgram> programs;
  std::unordered_map<std::string, std::size_t> places;
  for (const auto& [time, profile] : newest_first) {
    const fs::path& executable = owners_.at(profile).executable;
    const auto [place, is_new] = places.emplace(executable.native(), programs.size());
    if (is_new) programs.push_back({executable, {}});
    programs[place->second].profiles.push_back(profile);
  }
  return programs;
}

const WorkspaceFiles& WorkspaceDiscovery::files(const std::vector<fs::path>& folders,
                                                FileCatalog& catalog) {
  if (!searched_ || folders != folders_) {
    folders_ = folders;
    search(catalog);
  }
  return files_;
}

Discovery WorkspaceDiscovery::discover(const std::vector<fs::path>& folders,
                                       const ChangedFiles& changed, FileCatalog& catalog) {
  const bool fresh = !searched_ || changed.any || folders != folders_;
  folders_ = folders;
  if (fresh) {
    search(catalog);
  } else {
    take_notice(changed);
  }
  Discovery discovery = assign(catalog);
  // A program may have been built since the workspace was searched.
  if (!fresh && wants_search_) {
    search(catalog);
    discovery = assign(catalog);
  }
  forget_vanished();
  discovery.programs = by_executable();
  return discovery;
}

}  // namespace gprof::lsp
