// What the server wants to hear of: the files of the programs, where new ones may come, and, where
// nothing is configured, every profile of the workspace.
//
// Plain value. Thread contract: as for any value.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "server/protocol/window.h"

namespace gprof::lsp {

class WatchSet {
 public:
  // A file, whether it exists or not.
  void add_file(const std::filesystem::path& path);
  // An absolute pattern, as of glob_pattern.h.
  void add_glob(const std::string& pattern);
  // The same for profiles, with the sidecars and libraries' profiles beside them.
  void add_profiles(const std::string& pattern);
  // Counters of programs that run there.
  void add_live_files(const std::filesystem::path& directory);
  // Profiles anywhere below.
  void add_folder(const std::filesystem::path& folder);
  // Where profiles are likely to come, for who cannot look below a whole folder.
  void add_directory(const std::filesystem::path& directory);

  // Whether a change of the file is news.
  [[nodiscard]] bool concerns(const std::filesystem::path& path) const;

  // Whether a directory that has come is to be searched for profiles.
  [[nodiscard]] bool searches(const std::filesystem::path& directory) const;

  // For a client, each once, sorted. `relative`: it knows bases; those that lie in one of the
  // workspace folders have that folder as their base. Patterns of the protocol cannot quote:
  // special characters of paths are written as `?`.
  [[nodiscard]] std::vector<WatchedPattern> patterns(
      const std::vector<std::filesystem::path>& workspace_folders, bool relative) const;
  // For who watches directories, most wanted first, each once; they need not exist.
  [[nodiscard]] std::vector<std::filesystem::path> directories() const;

  // What lies in none of the folders.
  [[nodiscard]] WatchSet outside(const std::vector<std::filesystem::path>& folders) const;

  [[nodiscard]] bool empty() const {
    return files_.empty() && globs_.empty() && folders_.empty() && directories_.empty();
  }
  friend bool operator==(const WatchSet&, const WatchSet&) = default;

 private:
  std::set<std::filesystem::path> files_;
  std::set<std::string> globs_;
  std::set<std::filesystem::path> folders_;
  std::vector<std::filesystem::path> directories_;
  std::set<std::string> known_;  // the same, to be found in
};

}  // namespace gprof::lsp
