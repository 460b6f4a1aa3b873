// What can be shown without any configuration: profiles in the workspace, and the executable that
// each belongs to (by build-id, else by the range of its text, newest first).
//
// Thread contract: pure but for reading the file system; any thread. Bounded in files and depth.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/support/expected.h"

namespace gprof::lsp {

struct ProgramFiles {
  std::filesystem::path executable;
  std::vector<std::filesystem::path> profiles;

  friend bool operator==(const ProgramFiles&, const ProgramFiles&) = default;
};

struct Discovery {
  // One entry an executable, with its newest profile; newest profile first.
  std::vector<ProgramFiles> programs;
  // Profiles for which no executable was found, and what to do about it.
  Warnings warnings;
  bool complete = true;  // false where the workspace is larger than what was looked at
};

struct DiscoveryLimits {
  std::size_t entries = 200'000;
  int depth = 12;
};

[[nodiscard]] Discovery discover_programs(const std::vector<std::filesystem::path>& folders,
                                          const DiscoveryLimits& limits = {});

// Whether a file of this name is taken for a profile: gmon.out, gmon.out.PID, gmon.sum.
[[nodiscard]] bool is_profile_name(std::string_view file_name);

// The files that a glob pattern names, relative to `folder` where it is relative; sorted.
[[nodiscard]] std::vector<std::filesystem::path> expand_glob(const std::string& pattern,
                                                             const std::filesystem::path& folder);

}  // namespace gprof::lsp
