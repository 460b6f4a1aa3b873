#include "server/cli/workspace_folders.h"

#include "server/discovery/remembered_choice.h"
#include "server/session/configuration_file.h"
#include "server/system/cache_directory.h"

namespace gprof::lsp {

Expected<WorkspaceOptions> workspace_of(const std::vector<std::string>& folders,
                                        const std::string& configuration_file) {
  WorkspaceOptions options;
  const std::vector<std::filesystem::path> paths(folders.begin(), folders.end());
  TRY_ASSIGN(options.folders, FolderBounds::of(paths));
  if (!configuration_file.empty()) {
    TRY_ASSIGN(const SettingsLayer layer, read_configuration_file(configuration_file));
    options.settings = merge_settings(std::vector<SettingsLayer>{layer});
  }
  return options;
}

SharedPrograms shared_programs() {
  const auto indexes = snapshot_file_directory();
  const auto executables = kept_executables_directory();
  const auto builds = known_builds_directory();
  return {std::make_shared<SnapshotCache>(indexes ? std::make_shared<SnapshotFileCache>(*indexes)
                                                  : nullptr),
          std::make_shared<LineCache>(line_cache_directory()),
          choices_directory(),
          {executables ? std::make_shared<KeptExecutables>(*executables) : nullptr,
           builds ? std::make_shared<KnownBuilds>(*builds) : nullptr},
          std::make_shared<DebugFileServers>(DebugFileServers::environment())};
}

}  // namespace gprof::lsp
