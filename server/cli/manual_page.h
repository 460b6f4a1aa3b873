// The parts of manual pages that are made from the tables of options, in roff.
//
// Thread contract: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/cli/option_table.h"

namespace gprof::lsp {

// The lines of a SYNOPSIS.
[[nodiscard]] std::string manual_synopsis(const CommandSyntax& syntax);
// Tagged paragraphs, with a subsection per group if there are several.
[[nodiscard]] std::string manual_options(const CommandSyntax& syntax);
// A tagged paragraph for each command.
[[nodiscard]] std::string manual_commands(const std::vector<CommandSyntax>& commands);

// The same of the tools of one command.
[[nodiscard]] std::string manual_choices(const std::vector<ValueChoice>& choices);

// A page whose lines "@synopsis NAME@", "@options NAME@", "@commands NAME@" (the tools of a
// command) and "@commands@" are replaced; NAME is that of a command, or left out for the server,
// which comes first in `commands`. Errors: invalid_argument for a line that asks for anything else.
[[nodiscard]] Expected<std::string> filled_manual_page(std::string_view page,
                                                       const std::vector<CommandSyntax>& commands);

}  // namespace gprof::lsp
