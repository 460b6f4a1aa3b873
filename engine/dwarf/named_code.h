// The code of a unit's functions and inlined calls, from its entries, with the names that reports
// by line show.
//
// Thread contract: one thread. Errors: none.
#pragma once

#include "engine/dwarf/debug_information.h"
#include "engine/dwarf/die_graph.h"

namespace gprof::dwarf {

// Names are views of the bytes that the trees' names view.
[[nodiscard]] UnitCode collect_named_code(const DieTree& tree, TreeSource others);

// Copies the names, so that those bytes are no longer needed.
void copy_names(UnitCode& code);

}  // namespace gprof::dwarf
