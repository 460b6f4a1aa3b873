// Restricts plans to what a client may see.
//
// Thread contract: pure, except for reading the file system.
#pragma once

#include <filesystem>

#include "engine/support/folder_bounds.h"
#include "server/discovery/program_plan.h"

namespace gprof::lsp {

// Whether the path is within the bounds; if not, adds a warning, once.
[[nodiscard]] bool check_within(const Bounds& bounds, const std::filesystem::path& path,
                                Warnings& warnings);

// Removes programs and profiles outside the bounds, whoever named them, and adds a warning to the
// plan.
void keep_within(const Bounds& bounds, LoadPlan& plan);

}  // namespace gprof::lsp
