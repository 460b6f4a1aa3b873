// gprof/callGraph: the part of the call graph around a function, limited to what can be drawn.
//
// Thread contract: pure, except for reading the functions' files through `locations`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/analysis/stack_samples.h"
#include "server/features/function_locations.h"
#include "server/protocol/extension_requests.h"
#include "server/protocol/graph_answers.h"

namespace gprof::lsp {

struct CallGraphQuery {
  std::vector<SymbolIndex> roots;  // the instances of one function, hottest first
  // Instead of these, a function of a library: it has callers alone, from stacks.
  std::optional<ExternalCode> library;
  std::uint32_t depth = 2;  // calls away from a root; kept between 1 and 8
  GraphDirection direction = GraphDirection::both;
};

// Breadth first from the roots, at each node the arcs with the most time first, then the most
// calls; a graph that is too large is cut off and marked so. A function's calls of itself are not
// arcs, but counted at its node. Leaves the program's name and the generation empty.
[[nodiscard]] CallGraphResult call_graph_around(const CallGraphQuery& query,
                                                FunctionLocations& locations, bool demangle);

// The functions with that linkage name or displayed name, with or without parameters; hottest
// first.
[[nodiscard]] std::vector<SymbolIndex> symbols_named(const Snapshot& snapshot,
                                                     std::string_view name);
// By self time, then total time, then calls.
void sort_by_heat(const Snapshot& snapshot, std::vector<SymbolIndex>& symbols);

}  // namespace gprof::lsp
