// `gprof-lsp help`: what --help prints, for any command.
//
// Thread contract: for the main thread.
#pragma once

#include <string>

#include "server/cli/option_table.h"

namespace gprof::lsp {

struct HelpOptions {
  std::string command;  // empty: the server
};
[[nodiscard]] CommandSyntax help_syntax(HelpOptions& options);

// Returns the exit status.
[[nodiscard]] int run_help(const HelpOptions& options);

}  // namespace gprof::lsp
