// What a snapshot is made from, as it is on disk.
//
// Plain values. Thread contract: as for any value; files_of() reads the file system.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis.h"
#include "engine/support/input_file.h"

namespace gprof::lsp {

// Some files as they are on disk at one moment; a missing file has no stamp.
struct StampedFiles {
  std::vector<std::string> paths;
  std::vector<std::optional<FileStamp>> stamps;

  void add(const std::filesystem::path& path);
  void add(const std::filesystem::path& path, std::optional<FileStamp> stamp);
  friend bool operator==(const StampedFiles&, const StampedFiles&) = default;
};

// All that a snapshot is made from: the executable, the profiles and their sidecars. For live
// counters, whose changes do not show in the file's time, the stamp of what was read counts.
[[nodiscard]] StampedFiles files_of(const AnalysisRequest& request);

}  // namespace gprof::lsp
