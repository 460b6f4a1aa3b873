// The profile that `pprof` reads: profile.proto, compressed. Each sampled stack with the places of
// its calls; where the profile has no stacks, those of gprof's estimate, which a comment says.
//
// Values: samples (of measured stacks alone), and CPU time in nanoseconds where the profile's unit
// is the second. Thread contract: as for the names.
#pragma once

#include "engine/callgraph/flame_tree.h"
#include "server/export/export_output.h"
#include "server/features/frame_names.h"

namespace gprof::lsp {

// `tree` is of the whole program; of measured profiles it is not needed to be whole.
[[nodiscard]] Expected<void> write_pprof(const FlameTree& tree, FrameNames& names,
                                         ExportOutput& output);

}  // namespace gprof::lsp
