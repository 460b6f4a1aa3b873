// Display names of programs: the file's name, preceded by as many of its directories as make it
// unique.
//
// Thread contract: pure function.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gprof::lsp {

// One name per path, in the same order; distinct if the paths are.
[[nodiscard]] std::vector<std::string> distinct_names(
    const std::vector<std::filesystem::path>& paths);

}  // namespace gprof::lsp
