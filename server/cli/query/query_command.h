// gprof-lsp query: the questions of coding agents on the command line.
//
// Thread contract: for the main thread.
#pragma once

#include <span>
#include <string_view>

#include "server/cli/option_table.h"

namespace gprof::lsp {

struct QueryOptions {};
// What help, manual pages and completions say of it.
[[nodiscard]] CommandSyntax query_syntax(QueryOptions& options);

// Returns the exit status.
[[nodiscard]] int run_query(std::span<const std::string_view> words);

}  // namespace gprof::lsp
