// Which line of a source a recorded program crashed in: of the program, or of a library that has
// debug information and did not come with the system.
//
// Thread contract: reads files; pure otherwise. Errors: what cannot be read has no line.
#pragma once

#include <filesystem>
#include <optional>

#include "server/protocol/run_summary.h"

namespace gprof::lsp {

// By the profile's sidecar; none if it tells of no crash.
[[nodiscard]] std::optional<CrashedAt> find_crash(const std::filesystem::path& profile);

}  // namespace gprof::lsp
