// Functions and inlined calls of a unit, from its entries.
#pragma once

#include "engine/dwarf/debug_information.h"
#include "engine/dwarf/die_graph.h"

namespace gprof::dwarf {

// Errors: corrupt if the functions' names take more memory than any compiler's would. Thread
// contract: one thread.
[[nodiscard]] Expected<UnitFunctions> collect_functions(const DieTree& tree, TreeSource others);

}  // namespace gprof::dwarf
