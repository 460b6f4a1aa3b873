// The sum of the profiles of many runs of one program: gmon.sum, gmon.sum.SONAME for each library,
// and gmon.sum.gpx, the sum of their sidecars.
//
// Thread contract: reads and writes files; one thread.
#pragma once

#include <filesystem>
#include <vector>

#include "engine/support/expected.h"
#include "server/cli/record/record_summary.h"

namespace gprof::lsp {

// Adds up profiles of one program, and writes the sums to the directory (empty: the current one).
// Returns what was written, with summed figures. Errors: a profile or sidecar that cannot be read
// or added, a file that cannot be written. Precondition: not empty.
[[nodiscard]] Expected<FoundProfile> write_sum(const std::filesystem::path& directory,
                                               const std::vector<FoundProfile>& profiles);

}  // namespace gprof::lsp
