// The server: what the program runs if no command is named.
//
// Thread contract: for the main thread.
#pragma once

#include "server/cli/serve/serve_options.h"

namespace gprof::lsp {

// Returns the exit status.
[[nodiscard]] int run_server(const ServeOptions& options);

}  // namespace gprof::lsp
