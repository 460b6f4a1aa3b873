// The command gprof.export: a text as the answer, or a file in the workspace.
//
// Thread contract: on a worker, within the answer to one request.
#pragma once

#include <filesystem>
#include <vector>

#include "server/feature_context.h"
#include "server/protocol/any_value.h"
#include "server/protocol/commands.h"
#include "server/reply.h"

namespace gprof::lsp {

// `{text}` without a path, `{uri}` of the file that was written with one. Errors: arguments that
// make no sense, no such program, none at all, a path that is not to be written to (see
// export_file.h), a text that is too large for an answer.
[[nodiscard]] Outcome<AnyValue> export_for_editor(
    const FeatureContext& context, const ExportArgument& params,
    const std::vector<std::filesystem::path>& folders);

}  // namespace gprof::lsp
