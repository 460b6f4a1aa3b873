// The order of the arcs within an entry of the call graph: arcs of a function to itself are the
// least, then those inside a cycle, by count; then by time, then by count; then the oldest.
//
// Thread contract: pure functions.
#pragma once

#include <vector>

#include "engine/callgraph/call_graph.h"

namespace gprof {

// Of a function to itself, or between members of one cycle: such calls carry no time.
[[nodiscard]] bool is_internal_arc(const CallGraph& graph, const GraphArc& arc);

[[nodiscard]] std::vector<ArcIndex> callers_rising(const CallGraph& graph, SymbolIndex symbol);
[[nodiscard]] std::vector<ArcIndex> callees_falling(const CallGraph& graph, SymbolIndex symbol);

}  // namespace gprof
