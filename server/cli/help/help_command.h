// `gprof-lsp help`: what --help prints, of any command.
//
// Thread contract: for the main thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/cli/option_table.h"

namespace gprof::lsp {

struct HelpOptions {
  std::string command;  // empty: of the server
};
[[nodiscard]] CommandSyntax help_syntax(HelpOptions& options);

// `words` without the name of the program and "help". Returns the exit status.
[[nodiscard]] int run_help(std::span<const std::string_view> words);

}  // namespace gprof::lsp
