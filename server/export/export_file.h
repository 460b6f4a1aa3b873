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

// Where an editor's export of that format goes: `wanted`, a path or a file URI, relative ones to
// the first of the folders. Errors (invalid_argument): it is not below a folder of the workspace,
// its own folder is not there, or something stands there that is no export of this format: a
// directory, a link, a source, an executable.
[[nodiscard]] Expected<std::filesystem::path> workspace_target(
    std::string_view wanted, const std::vector<std::filesystem::path>& folders,
    ExportFormat format);

}  // namespace gprof::lsp
