// Command lines that go on in files: words of the form @FILE, as the GNU tools take them.
//
// Thread contract: pure functions, but for the files that they read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"

namespace gprof::lsp {

// The words with every @FILE replaced by those in FILE; one that cannot be opened stays what it is.
// Fails with invalid_argument for a directory and for files without end (that name each other).
[[nodiscard]] Expected<std::vector<std::string>> expand_files(
    std::span<const std::string_view> words);

}  // namespace gprof::lsp
