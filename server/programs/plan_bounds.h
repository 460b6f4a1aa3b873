// Plans for a client that may not see everything.
//
// Thread contract: pure but for reading the file system.
#pragma once

#include <filesystem>

#include "engine/support/folder_bounds.h"
#include "server/programs/program_plan.h"

namespace gprof::lsp {

// Whether the path lies within the bounds; where it does not, the warnings say so, once.
[[nodiscard]] bool check_within(const Bounds& bounds, const std::filesystem::path& path,
                                Warnings& warnings);

// Leaves out the programs and profiles that do not lie within the bounds, whoever named them, and
// says so in the plan's warnings.
void keep_within(const Bounds& bounds, LoadPlan& plan);

}  // namespace gprof::lsp
