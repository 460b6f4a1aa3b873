// gprof/flameGraph: the tree of calls with the time of each, measured or estimated.
//
// Thread contract: pure, but for reading the functions' files through `places`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/analysis.h"
#include "engine/callgraph/flame_tree.h"
#include "server/features/function_places.h"
#include "server/protocol/graph_answers.h"

namespace gprof::lsp {

struct FlameGraphQuery {
  // The symbols of one function, of which the tree is made; empty: of the whole program.
  std::vector<SymbolIndex> function;
  std::optional<std::uint32_t> maximum_depth;
  std::optional<double> minimum_share;
};

// What a flame tree of it is made from.
[[nodiscard]] FlameTreeParts flame_parts(const Snapshot& snapshot);

// Bounded in depth and number of nodes. Without the names of the program and the generation.
[[nodiscard]] FlameGraphResult flame_graph(const FlameGraphQuery& query, FunctionPlaces& places,
                                           bool demangle);

}  // namespace gprof::lsp
