// Matches names against what the user typed. Thread contract: any thread. No errors.
#pragma once

#include <string_view>

namespace gprof::lsp {

// Whether the name contains the letters in order, with any others between, ignoring case.
[[nodiscard]] bool holds_letters(std::string_view name, std::string_view letters);

}  // namespace gprof::lsp
