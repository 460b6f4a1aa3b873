// What can be shown without configuration: profiles in the workspace, and the executable of each:
// one of the workspace (by build-id, else by text range, newest first), or the one that the
// profile's sidecar names, if that still is the build that ran.
//
// A profile keeps its executable until it is written again: the executable may be rebuilt in
// between, and another one may then seem to fit better.
// Thread contract: one thread at a time. Bounded as the search of the workspace is.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/support/expected.h"
#include "server/discovery/file_catalog.h"
#include "server/discovery/workspace_search.h"

namespace gprof::lsp {

// Files that were added, changed or removed.
struct ChangedFiles {
  std::set<std::filesystem::path> paths;
  bool any = false;  // not only those: anything may have changed

  void add(ChangedFiles more);
};

struct DiscoveredProgram {
  std::filesystem::path executable;
  std::vector<std::filesystem::path> profiles;  // newest first; at least one
};

struct Discovery {
  // Newest profile first.
  std::vector<DiscoveredProgram> programs;
  // Profiles without an executable, and what to do about it.
  Warnings warnings;
  // Why files of other tools are not shown. They may be of unrelated programs: no warnings.
  std::vector<std::string> remarks;
};

class WorkspaceDiscovery {
 public:
  explicit WorkspaceDiscovery(const SearchLimits& limits = {}) : limits_(limits) {}

  // Searches the workspace the first time, for different folders, and if `changed` says that
  // anything may have changed. Else only checks the changed files, unless a new profile among them
  // has no certain executable.
  [[nodiscard]] Discovery discover(const std::vector<std::filesystem::path>& folders,
                                   const ChangedFiles& changed, FileCatalog& catalog);
  // As of the last discover(); searches the workspace if there was none.
  [[nodiscard]] const WorkspaceFiles& files(const std::vector<std::filesystem::path>& folders,
                                            FileCatalog& catalog);

 private:
  struct Owner {
    std::filesystem::path executable;
    FileStamp profile;  // as last seen
  };

  void search(FileCatalog& catalog);
  void take_notice(const ChangedFiles& changed);
  [[nodiscard]] Discovery assign(FileCatalog& catalog);
  struct Assignment;  // of all profiles, one by one
  void assign(const std::filesystem::path& profile, Assignment& assignment);
  void forget_vanished();
  [[nodiscard]] std::vector<DiscoveredProgram> by_executable() const;

  SearchLimits limits_;
  std::vector<std::filesystem::path> folders_;
  bool searched_ = false;
  WorkspaceFiles files_;
  std::map<std::filesystem::path, Owner> owners_;       // by profile
  std::map<std::filesystem::path, FileStamp> unowned_;  // profiles without an executable
  // A new profile's executable may not have existed when the workspace was searched.
  bool wants_search_ = false;
};

}  // namespace gprof::lsp
