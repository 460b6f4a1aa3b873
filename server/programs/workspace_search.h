// The files of a workspace that could be programs, shared libraries or profiles.
//
// Thread contract: pure but for reading the file system; any thread. Bounded in files and depth.
// What is not searched: directories whose name begins with a point, and node_modules.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <vector>

namespace gprof::lsp {

struct SearchLimits {
  std::size_t entries = 200'000;
  int depth = 12;
  // Directories to be told of, of those that lie at most this deep.
  std::size_t directories = 256;
  int directory_depth = 2;
};

struct WorkspaceFiles {
  std::set<std::filesystem::path> profiles;
  std::set<std::filesystem::path> live;      // counters of programs that run, or were killed
  std::set<std::filesystem::path> binaries;  // executables and shared objects
  // Where programs are likely to be built and run, nearest first, as far as the limits go.
  std::vector<std::filesystem::path> directories;
  bool complete = true;  // false where there is more than what was looked at
};

[[nodiscard]] WorkspaceFiles search_workspace(const std::vector<std::filesystem::path>& folders,
                                              const SearchLimits& limits = {});

// Takes notice of one file that has come, changed or gone, or of a directory that has come.
void consider_path(const std::filesystem::path& path, const SearchLimits& limits,
                   WorkspaceFiles& files);

// By its own name alone.
[[nodiscard]] bool is_searched(const std::filesystem::path& directory);

}  // namespace gprof::lsp
