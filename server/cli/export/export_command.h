// `gprof-lsp export`: a profile in a format that other tools open.
//
// Thread contract: for the main thread of a process that does nothing else.
#pragma once

#include "server/cli/export/export_options.h"

namespace gprof::lsp {

// Returns the exit status.
[[nodiscard]] int run_export(const ExportOptions& options);

}  // namespace gprof::lsp
