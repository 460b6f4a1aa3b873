// `gprof-lsp check`: shows what the server would find in a workspace, load, and complain about.
//
// Thread contract: for the main thread of a process that does nothing else.
#pragma once

#include <string>

#include "server/cli/option_table.h"

namespace gprof::lsp {

struct CheckOptions {
  std::string directory = ".";
  std::string configuration_file;  // empty: none
};
[[nodiscard]] CommandSyntax check_syntax(CheckOptions& options);

// Returns the exit status.
[[nodiscard]] int run_check(const CheckOptions& options);

}  // namespace gprof::lsp
