#include "server/discovery/stamped_files.h"

#include "engine/import/perf_data/perf_bytes.h"
#include "server/discovery/profile_names.h"

namespace gprof::lsp {

void StampedFiles::add(const std::filesystem::path& path) { add(path, file_stamp(path)); }

void StampedFiles::add(const std::filesystem::path& path, std::optional<FileStamp> stamp) {
  paths.push_back(path.string());
  stamps.push_back(stamp);
}

StampedFiles files_of(const AnalysisRequest& request) {
  StampedFiles files;
  files.add(request.executable);
  for (const auto& profile : request.profiles) {
    const auto live = request.live.find(profile);
    if (live != request.live.end()) {
      files.add(profile, live->second.stamp);
      continue;
    }
    files.add(profile);
    files.add(sidecar_path(profile));
    for (const auto& stream : perf_data::streams_of(profile)) files.add(stream);
  }
  return files;
}

}  // namespace gprof::lsp
