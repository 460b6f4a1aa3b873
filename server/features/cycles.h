// gprof/cycles: the functions that call each other in circles, each circle as the one entity that
// gprof takes it for.
//
// Thread contract: pure, but for reading the functions' files through `places`.
#pragma once

#include "server/features/function_places.h"
#include "server/protocol/graph_answers.h"

namespace gprof::lsp {

// Those with most time first, then most calls; of each the members with most time of their own
// first. A list that is too long is cut, and tells how long it is. Without the names of the program
// and the generation.
[[nodiscard]] CyclesResult cycles_of(FunctionPlaces& places, bool demangle);

}  // namespace gprof::lsp
