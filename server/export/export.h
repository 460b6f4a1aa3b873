// Writes a profile in a format that other tools open.
//
// Thread contract: any thread. Errors: those of the output; no_profile_data if the profile holds
// nothing that the format can express.
#pragma once

#include <memory>

#include "engine/analysis.h"
#include "server/export/export_output.h"
#include "server/export/export_request.h"

namespace gprof::lsp {

[[nodiscard]] Expected<void> write_export(const std::shared_ptr<const Snapshot>& snapshot,
                                          const ExportRequest& request, ExportOutput& output);

}  // namespace gprof::lsp
