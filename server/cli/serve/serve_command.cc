#include "server/cli/serve/serve_command.h"

#include <algorithm>
#include <memory>
#include <thread>

#include "server/cli/serve/serve.h"
#include "server/cli/workspace_folders.h"
#include "server/system/memory_limit.h"

namespace gprof::lsp {

int run_server(const ServeOptions& options) {
  keep_large_blocks_apart();
  // Requests are short; more threads than this would only keep each other waiting.
  const std::size_t threads = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  const SharedPrograms shared = shared_programs();
  return serve(options, [&] { return make_profile_service(threads, shared); });
}

}  // namespace gprof::lsp
