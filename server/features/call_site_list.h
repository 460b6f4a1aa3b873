// gprof/callSites: the calls of a function, or those that it makes, one entry a line that calls.
//
// Every call is in one entry, so that those of a caller add up to the arc's count. Where the
// profile cannot tell which of several lines made calls, they are one entry with the other lines as
// its alternatives. What no line of the text shows (no debug information, no source, a changed
// line) is one entry without a place for each function.
//
// Times are measured where samples were taken under the very calls; else an arc's time in
// proportion to the counts, which is gprof's own estimate.
//
// Thread contract: pure, but for reading the functions' files through `places`.
#pragma once

#include "server/features/function_places.h"
#include "server/protocol/graph_answers.h"

namespace gprof::lsp {

// Most time first, then most calls; calls of the function by itself behind all others. Without the
// program's name and the generation.
[[nodiscard]] CallSitesResult call_site_list(const FunctionCost& function, bool callers,
                                             FunctionPlaces& places, bool demangle);

}  // namespace gprof::lsp
