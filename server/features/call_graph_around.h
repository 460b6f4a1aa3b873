// gprof/callGraph: the part of the call graph around a function, as far as it can be drawn.
//
// Thread contract: pure, but for reading the functions' files through `places`.
#pragma once

#include <cstdint>
#include <vector>

#include "server/features/function_places.h"
#include "server/protocol/extension_requests.h"
#include "server/protocol/graph_answers.h"

namespace gprof::lsp {

struct CallGraphQuery {
  std::vector<SymbolIndex> roots;  // the instances of one function, the hottest first
  std::uint32_t depth = 2;         // calls away from a root; kept between 1 and 8
  GraphDirection direction = GraphDirection::both;
};

// Breadth first from the roots, at each node the arcs with most time first, then most calls; a
// graph that is too large is cut and says so. Calls of a function by itself are no arcs, but
// counted at its node. Without the names of the program and the generation.
[[nodiscard]] CallGraphResult call_graph_around(const CallGraphQuery& query, FunctionPlaces& places,
                                                bool demangle);

// The functions of that linkage name, or of that name as it is shown, with or without parameters;
// the hottest first.
[[nodiscard]] std::vector<SymbolIndex> symbols_named(const Snapshot& snapshot,
                                                     std::string_view name);
// By self time, then calls.
void sort_by_heat(const Snapshot& snapshot, std::vector<SymbolIndex>& symbols);

}  // namespace gprof::lsp
