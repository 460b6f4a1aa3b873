// The commands of gprof-lsp, including the server.
//
// Thread contract: for the main thread.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "server/cli/option_table.h"

namespace gprof::lsp {

// Of all commands for users; the server, which has no name, comes first.
[[nodiscard]] std::vector<CommandSyntax> command_syntaxes();

// Runs what the command line asks for; `words` is without the program's name. Returns the exit
// status.
[[nodiscard]] int run_command_line(std::span<const std::string_view> words);

}  // namespace gprof::lsp
