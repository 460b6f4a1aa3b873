// The JSON that https://www.speedscope.app opens: one sampled profile, each stack with its weight.
//
// Weights are in microseconds, or in samples if the profile's unit is not time. Thread contract: as
// for the names.
#pragma once

#include "engine/callgraph/flame_tree.h"
#include "server/export/export_output.h"
#include "server/features/frame_names.h"

namespace gprof::lsp {

void write_speedscope(const FlameTree& tree, FrameNames& names, ExportOutput& output);

}  // namespace gprof::lsp
