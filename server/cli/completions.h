// Scripts that complete command lines, one per shell.
//
// Thread contract: pure functions.
#pragma once

#include <string>
#include <vector>

#include "server/cli/option_table.h"

namespace gprof::lsp {

// `commands` begins with the server's.
[[nodiscard]] std::string bash_completion(const std::vector<CommandSyntax>& commands);
[[nodiscard]] std::string zsh_completion(const std::vector<CommandSyntax>& commands);
[[nodiscard]] std::string fish_completion(const std::vector<CommandSyntax>& commands);

}  // namespace gprof::lsp
