// What the server wants to be notified of: the files of the programs, places where new ones may
// appear, and, if nothing is configured, every profile of the workspace.
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
  // An absolute pattern as in glob_pattern.h.
  void add_glob(const std::string& pattern);
  // The same for profiles, including their sidecars and libraries' profiles.
  void add_profiles(const std::string& pattern);
  // Counters of programs running there.
  void add_live_files(const std::filesystem::path& directory);
  // Profiles anywhere below.
  void add_folder(const std::filesystem::path& folder);
  // Where profiles are likely to appear, for watchers that cannot watch a whole tree.
  void add_directory(const std::filesystem::path& directory);

  // Whether a change of the file matters.
  [[nodiscard]] bool concerns(const std::filesystem::path& path) const;

  // Whether to search a new directory for profiles.
  [[nodiscard]] bool searches(const std::filesystem::path& directory) const;

  // For a client, unique and sorted. `relative`: it supports base folders; patterns inside a
  // workspace folder then have that folder as their base. The protocol's patterns have no quoting:
  // special characters in paths are written as `?`.
  [[nodiscard]] std::vector<WatchedPattern> patterns(
      const std::vector<std::filesystem::path>& workspace_folders, bool relative) const;
  // For watching directories, most important first, unique; they need not exist.
  [[nodiscard]] std::vector<std::filesystem::path> directories() const;

  // What is in none of the folders.
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
  std::set<std::string> known_;  // the same, for lookup
};

}  // namespace gprof::lsp
