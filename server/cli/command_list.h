// The commands of gprof-lsp, the server among them.
//
// Thread contract: for the main thread.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "server/cli/option_table.h"

namespace gprof::lsp {

// Of every command that users know: the server first, which has no name.
[[nodiscard]] std::vector<CommandSyntax> command_syntaxes();

// Runs what the words of the command line ask for, without the program's name. Returns the exit
// status.
[[nodiscard]] int run_command_line(std::span<const std::string_view> words);

}  // namespace gprof::lsp
