// What a snapshot is made from, as it stands on disk.
//
// Plain values. Thread contract: as for any value; files_of() asks the file system.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/analysis.h"
#include "engine/support/input_file.h"

namespace gprof::lsp {

// Some files as they are on disk at one moment; a file that is not there has no stamp.
struct StampedFiles {
  std::vector<std::string> paths;
  std::vector<std::optional<FileStamp>> stamps;

  void add(const std::filesystem::path& path);
  void add(const std::filesystem::path& path, std::optional<FileStamp> stamp);
  friend bool operator==(const StampedFiles&, const StampedFiles&) = default;
};

// All that a snapshot is made from: the executable, the profiles and their sidecars. Of live
// counters, which change without a trace in the file's time, the stamp of what was read counts.
[[nodiscard]] StampedFiles files_of(const AnalysisRequest& request);

}  // namespace gprof::lsp
