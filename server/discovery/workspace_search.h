// The files of a workspace that could be programs, shared libraries or profiles.
//
// Thread contract: pure, except for reading the file system; any thread. Bounded in files and
// depth. Hidden directories and node_modules are not searched.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <vector>

namespace gprof::lsp {

struct SearchLimits {
  std::size_t entries = 200'000;
  int depth = 12;
  // Maximum number of directories to report, at most this deep.
  std::size_t directories = 256;
  int directory_depth = 2;
};

struct WorkspaceFiles {
  std::set<std::filesystem::path> profiles;
  std::set<std::filesystem::path> live;      // counters of programs that are running or were killed
  std::set<std::filesystem::path> binaries;  // executables and shared objects
  // Where programs are likely to be built and run, nearest first, within the limits.
  std::vector<std::filesystem::path> directories;
  bool complete = true;  // false if the limits cut the search short
  // A directory could not be listed to its end (no descriptors, no memory, a failing disk). Files
  // that are missing here may still exist.
  bool interrupted = false;
};

[[nodiscard]] WorkspaceFiles search_workspace(const std::vector<std::filesystem::path>& folders,
                                              const SearchLimits& limits = {});

// Updates for one file that was added, changed or removed, or for a new directory.
void consider_path(const std::filesystem::path& path, const SearchLimits& limits,
                   WorkspaceFiles& files);

// Judged by its own name only.
[[nodiscard]] bool is_searched(const std::filesystem::path& directory);

}  // namespace gprof::lsp
