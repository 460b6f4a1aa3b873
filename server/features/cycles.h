// gprof/cycles: the functions that call each other in circles, each circle as one entity, as in
// gprof.
//
// Thread contract: pure, except for reading the functions' files through `locations`.
#pragma once

#include "server/features/function_locations.h"
#include "server/protocol/graph_answers.h"

namespace gprof::lsp {

// Those with the most time first, then the most calls; members by self time. A list that is too
// long is cut off, with its full length given. Leaves the program's name and the generation empty.
[[nodiscard]] CyclesResult cycles_of(FunctionLocations& locations, bool demangle);

}  // namespace gprof::lsp
