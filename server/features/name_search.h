// How a name is searched for by what a user typed. Thread contract: any thread. No errors.
#pragma once

#include <string_view>

namespace gprof::lsp {

// Whether the name holds the letters in their order, with any others between; in either case.
[[nodiscard]] bool holds_letters(std::string_view name, std::string_view letters);

}  // namespace gprof::lsp
