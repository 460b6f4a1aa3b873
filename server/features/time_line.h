// gprof/timeline: what threads or processes cost in the course of the run.
//
// Thread contract: pure functions.
#pragma once

#include "engine/support/expected.h"
#include "server/protocol/metric_messages.h"
#include "server/sources/loaded_program.h"

namespace gprof::lsp {

// Of what the program shows. Leaves the generation empty. Errors: invalid_argument for a stretch
// outside of the run or an empty one, which names the run's length.
[[nodiscard]] Expected<TimelineResult> time_line(const LoadedProgram& program,
                                                 const TimelineParams& params);

}  // namespace gprof::lsp
