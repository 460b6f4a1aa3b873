// The command gprof.export: answers with the text, or writes a file in the workspace.
//
// Thread contract: on a worker, within the answer to one request.
#pragma once

#include <filesystem>
#include <vector>

#include "server/features/feature_context.h"
#include "server/protocol/any_value.h"
#include "server/protocol/commands.h"
#include "server/protocol/reply.h"

namespace gprof::lsp {

// `{text}` without a path; with one, `{uri}` of the file written. Errors: invalid arguments, no
// such program, no program at all, a path that must not be written to (see export_file.h), a text
// too large for an answer.
[[nodiscard]] Outcome<AnyValue> export_for_editor(
    const FeatureContext& context, const ExportArgument& params,
    const std::vector<std::filesystem::path>& folders);

}  // namespace gprof::lsp
