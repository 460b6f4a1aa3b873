// Words of option tables that manual pages and completions share.
//
// Thread contract: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/cli/option_table.h"

namespace gprof::lsp {

// The first clause of a help text: short enough for a list of options.
[[nodiscard]] std::string_view first_clause(std::string_view help);

// The items, joined by the text.
[[nodiscard]] std::string joined(const std::vector<std::string>& items, std::string_view between);

[[nodiscard]] std::string replaced(std::string text, std::string_view from, std::string_view to);

}  // namespace gprof::lsp
