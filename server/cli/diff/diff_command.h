// `gprof-lsp diff`: two builds, several runs of each, and what differs beyond its error.
//
// Thread contract: for the main thread of a process that does nothing else.
#pragma once

#include <span>
#include <string_view>

#include "server/cli/diff/diff_options.h"
#include "server/cli/option_table.h"

namespace gprof::lsp {

[[nodiscard]] CommandSyntax diff_syntax(DiffOptions& options);

// `words` without the name of the program and "diff". Returns the exit status.
[[nodiscard]] int run_diff(std::span<const std::string_view> words);

}  // namespace gprof::lsp
