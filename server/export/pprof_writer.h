// The profile that `pprof` reads: profile.proto, compressed. Each sampled stack with its call
// sites; if the profile has no stacks, those of gprof's estimate, and a comment in the output says
// so.
//
// Values: samples (measured stacks only), and CPU time in nanoseconds if the profile's unit is the
// second. Thread contract: as for the names.
#pragma once

#include "engine/callgraph/flame_tree.h"
#include "server/export/export_output.h"
#include "server/export/thread_stacks.h"
#include "server/features/frame_names.h"

namespace gprof::lsp {

// `tree` covers the whole program; for measured profiles it need not be complete. `threads`: those
// that samples are labelled with.
[[nodiscard]] Expected<void> write_pprof(const FlameTree& tree,
                                         const std::vector<ThreadStacks>& threads,
                                         FrameNames& names, ExportOutput& output);

}  // namespace gprof::lsp
