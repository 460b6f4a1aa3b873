// `gprof-lsp diff`: two builds, several runs of each, and what differs beyond its error.
//
// Thread contract: for the main thread of a process that does nothing else.
#pragma once

#include "server/cli/diff/diff_options.h"
#include "server/cli/option_table.h"

namespace gprof::lsp {

[[nodiscard]] CommandSyntax diff_syntax(DiffOptions& options);

// Returns the exit status.
[[nodiscard]] int run_diff(const DiffOptions& options);

}  // namespace gprof::lsp
