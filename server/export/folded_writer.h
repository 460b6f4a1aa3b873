// Folded stacks, one a line: "main;work;step 1200", from the outermost function inwards, and the
// time in the middle of it. Flame graph scripts and viewers read it.
//
// A line's number is in the tables' whole unit: microseconds, or samples. `;` in a name, which
// would part it, becomes `:`. Thread contract: as for the names.
#pragma once

#include "engine/callgraph/flame_tree.h"
#include "server/export/export_output.h"
#include "server/features/frame_names.h"

namespace gprof::lsp {

void write_folded(const FlameTree& tree, FrameNames& names, ExportOutput& output);

}  // namespace gprof::lsp
