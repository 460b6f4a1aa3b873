// Which line of a source a recorded program crashed in: of the program, or of a library that has
// debug information and did not come with the system.
//
// Thread contract: reads files; pure otherwise. Errors: what cannot be read has no line.
#pragma once

#include <filesystem>
#include <optional>

#include "server/protocol/run_summary.h"

namespace gprof::lsp {

// Reads the profile's sidecar. None if the program did not crash, or the line is not known.
[[nodiscard]] std::optional<CrashedAt> find_crash(const std::filesystem::path& profile);

}  // namespace gprof::lsp
