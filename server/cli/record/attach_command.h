// `gprof-lsp record --pid`: samples a process that runs already.
//
// Thread contract: for the main thread.
#pragma once

#include "server/cli/record/record_options.h"

namespace gprof::lsp {

// Returns the exit status. Precondition: the options name a process.
[[nodiscard]] int run_attach(const RecordOptions& options);

}  // namespace gprof::lsp
