// Functions and inlined calls of a unit, from its entries.
#pragma once

#include "engine/dwarf/unit_files.h"
#include "engine/dwarf/unit_trees.h"

namespace gprof::dwarf {

// Errors: corrupt if the functions' names take more memory than any compiler's would. Thread
// contract: one thread.
[[nodiscard]] Expected<UnitFunctions> collect_functions(const DieTree& tree, UnitTrees& others,
                                                        UnitFiles& files);

}  // namespace gprof::dwarf
