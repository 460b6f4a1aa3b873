// `gprof-lsp record`: runs a program under the collector and says what came of it.
//
// Thread contract: for the main thread of a process that does nothing else.
#pragma once

#include "server/cli/record/record_options.h"

namespace gprof::lsp {

// Returns the exit status; if the program was killed by a signal, so is this process.
[[nodiscard]] int run_record(const RecordOptions& options);

}  // namespace gprof::lsp
