// Which files an editor's request may write.
//
// Thread contract: reads the file system; pure otherwise.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "engine/support/expected.h"
#include "server/export/export_request.h"

namespace gprof::lsp {

// Where an editor's export in that format goes: `wanted`, a path or a file URI; relative paths
// start at the first folder. Errors (invalid_argument): it is not below a workspace folder, its own
// folder does not exist, or the path exists and is not an export in this format: a directory, a
// link, a source, an executable.
[[nodiscard]] Expected<std::filesystem::path> workspace_target(
    std::string_view wanted, const std::vector<std::filesystem::path>& folders,
    ExportFormat format);

}  // namespace gprof::lsp
