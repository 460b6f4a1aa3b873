// Runs the language server on the transport that the command line asks for, until it ends.
//
// Thread contract: called once, by main(); the calling thread becomes the I/O thread.
#pragma once

#include <functional>
#include <memory>

#include "server/cli/serve/serve_options.h"
#include "server/session/profile_service.h"

namespace gprof::lsp {

using MakeService = std::function<std::unique_ptr<ProfileService>()>;

// Returns the process's exit code. Startup errors go to standard error. `make_service` is called
// once per client.
[[nodiscard]] int serve(const ServeOptions& options, const MakeService& make_service);

}  // namespace gprof::lsp
