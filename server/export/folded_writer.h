// Folded stacks, one per line: "main;work;step 1200", outermost function first, then the self time
// of the innermost. Flame graph scripts and viewers read it.
//
// The number is in the tables' integer unit: microseconds, or samples. `;` in a name, which would
// split it, becomes `:`. Thread contract: as for the names.
#pragma once

#include "engine/callgraph/flame_tree.h"
#include "server/export/export_output.h"
#include "server/features/frame_names.h"

namespace gprof::lsp {

void write_folded(const FlameTree& tree, FrameNames& names, ExportOutput& output);

}  // namespace gprof::lsp
