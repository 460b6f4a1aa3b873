// What can be shown without any configuration: profiles in the workspace, and the executable that
// each belongs to (by build-id, else by the range of its text, newest first).
//
// A profile stays with its executable until it is written anew: the executable may be rebuilt in
// between, and then another one may seem to fit better.
// Thread contract: one thread at a time. Bounded as the search of the workspace is.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "engine/support/expected.h"
#include "server/programs/file_catalog.h"
#include "server/programs/workspace_search.h"

namespace gprof::lsp {

// Files that have come, changed or gone.
struct ChangedFiles {
  std::set<std::filesystem::path> paths;
  bool any = false;  // more than those: anything may have changed

  void add(ChangedFiles more);
};

struct DiscoveredProgram {
  std::filesystem::path executable;
  std::vector<std::filesystem::path> profiles;  // newest first; at least one
};

struct Discovery {
  // Newest profile first.
  std::vector<DiscoveredProgram> programs;
  // Profiles for which no executable was found, and what to do about it.
  Warnings warnings;
};

class WorkspaceDiscovery {
 public:
  explicit WorkspaceDiscovery(const SearchLimits& limits = {}) : limits_(limits) {}

  // The first time, for other folders, and where `changed` says that anything may have changed, the
  // workspace is searched. Else only the changed files are looked at, unless a new profile among
  // them has no executable that surely is its own.
  [[nodiscard]] Discovery discover(const std::vector<std::filesystem::path>& folders,
                                   const ChangedFiles& changed, FileCatalog& catalog);
  // As of the last discover(); the workspace is searched where that has not been.
  [[nodiscard]] const WorkspaceFiles& files(const std::vector<std::filesystem::path>& folders,
                                            FileCatalog& catalog);

 private:
  struct Owner {
    std::filesystem::path executable;
    FileStamp profile;  // as it was when it was last there
  };

  void search(FileCatalog& catalog);
  void take_notice(const ChangedFiles& changed);
  [[nodiscard]] Discovery assign(FileCatalog& catalog);
  struct Assignment;  // of all profiles, one after the other
  void assign(const std::filesystem::path& profile, Assignment& assignment);
  void forget_vanished();
  [[nodiscard]] std::vector<DiscoveredProgram> by_executable() const;

  SearchLimits limits_;
  std::vector<std::filesystem::path> folders_;
  bool searched_ = false;
  WorkspaceFiles files_;
  std::map<std::filesystem::path, Owner> owners_;       // by profile
  std::map<std::filesystem::path, FileStamp> unowned_;  // profiles without an executable
  // A profile has come whose executable may not have been there when the workspace was searched.
  bool wants_search_ = false;
};

}  // namespace gprof::lsp
