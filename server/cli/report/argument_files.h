// Command lines that continue in files: words of the form @FILE, as in the GNU tools.
//
// Thread contract: pure functions, except for reading the files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"

namespace gprof::lsp {

// The words with every @FILE replaced by those in FILE; one that cannot be opened stays as it is.
// Fails with invalid_argument for a directory and for endless files (that name each other).
[[nodiscard]] Expected<std::vector<std::string>> expand_files(
    std::span<const std::string_view> words);

}  // namespace gprof::lsp
