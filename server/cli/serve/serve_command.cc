#include "server/cli/serve/serve_command.h"

#include <algorithm>
#include <memory>
#include <thread>

#include "server/cli/serve/serve.h"
#include "server/discovery/remembered_choice.h"
#include "server/session/profile_service.h"
#include "server/system/cache_directory.h"
#include "server/system/memory_limit.h"

namespace gprof::lsp {

int run_server(const ServeOptions& options) {
  keep_large_blocks_apart();
  // Requests are short; more threads than this would only keep each other waiting.
  const std::size_t threads = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  const auto indexes = snapshot_file_directory();
  const auto executables = kept_executables_directory();
  const auto builds = known_builds_directory();
  const SharedPrograms shared = {
      std::make_shared<SnapshotCache>(indexes ? std::make_shared<SnapshotFileCache>(*indexes)
                                              : nullptr),
      std::make_shared<LineCache>(line_cache_directory()),
      choices_directory(),
      {executables ? std::make_shared<KeptExecutables>(*executables) : nullptr,
       builds ? std::make_shared<KnownBuilds>(*builds) : nullptr},
      std::make_shared<DebugFileServers>(DebugFileServers::environment())};
  return serve(options, [&] { return make_profile_service(threads, shared); });
}

}  // namespace gprof::lsp
