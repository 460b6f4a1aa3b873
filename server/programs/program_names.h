// Names of programs for people: the file's name, with as much of its directories before it as tells
// it from the others.
//
// Thread contract: pure function.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gprof::lsp {

// One name a path, in their order; distinct where the paths are.
[[nodiscard]] std::vector<std::string> distinct_names(
    const std::vector<std::filesystem::path>& paths);

}  // namespace gprof::lsp
