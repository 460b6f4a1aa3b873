// Which of the workspace's folders a file belongs to.
//
// Thread contract: pure functions. Errors: none.
#pragma once

#include <filesystem>
#include <vector>

namespace gprof::lsp {

// The innermost of the folders that holds the file; null if none does. Points into `folders`.
[[nodiscard]] const std::filesystem::path* folder_of(
    const std::filesystem::path& file, const std::vector<std::filesystem::path>& folders);

}  // namespace gprof::lsp
