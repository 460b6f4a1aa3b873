// What --help prints for a command.
//
// Thread contract: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "server/cli/option_table.h"

namespace gprof::lsp {

// Lines of at most 80 columns, except for longer words.
[[nodiscard]] std::string help_text(const CommandSyntax& syntax);

// "  name   what it is", for lists of options, values and commands.
[[nodiscard]] std::string help_line(std::string_view name, std::string_view help);

}  // namespace gprof::lsp
