// The code of a unit's functions and inlined calls, from its entries, with the names that reports
// by line show.
//
// Thread contract: one thread. Errors: none.
#pragma once

#include "engine/dwarf/debug_information.h"
#include "engine/dwarf/unit_trees.h"

namespace gprof::dwarf {

// Names are views of the bytes that the trees' names view; copies if the unit is split, whose bytes
// go with its tree.
[[nodiscard]] UnitCode collect_named_code(const DieTree& tree, UnitTrees& others);

}  // namespace gprof::dwarf
