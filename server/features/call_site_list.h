// gprof/callSites: the calls of a function, or those that it makes, one entry per calling line.
//
// Every call is in one entry, so that a caller's entries add up to the arc's count. If the profile
// cannot tell which of several lines made the calls, they are one entry with the other lines as its
// alternatives. Calls that no line of the text shows (no debug information, no source, a changed
// line) are one entry per function, without a place.
//
// Times are measured if samples were taken under these calls; else the arc's time in proportion to
// the counts, which is gprof's estimate.
//
// Thread contract: pure, except for reading the functions' files through `locations`.
#pragma once

#include "server/features/function_locations.h"
#include "server/protocol/graph_answers.h"

namespace gprof::lsp {

// Most time first, then most calls; the function's calls of itself last. Leaves the program's name
// and the generation empty.
[[nodiscard]] CallSitesResult call_site_list(const FunctionCost& function, bool callers,
                                             FunctionLocations& locations, bool demangle);

}  // namespace gprof::lsp
