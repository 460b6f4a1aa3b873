// gprof/flameGraph: the tree of calls with the time of each, measured or estimated.
//
// Thread contract: pure, except for reading the functions' files through `locations`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/analysis.h"
#include "engine/callgraph/flame_tree.h"
#include "server/features/function_locations.h"
#include "server/protocol/graph_answers.h"

namespace gprof::lsp {

struct FlameGraphQuery {
  // The symbols of the function that the tree is for; empty: the whole program.
  std::vector<SymbolIndex> function;
  std::optional<std::uint32_t> maximum_depth;
  std::optional<double> minimum_share;
  bool differences = false;  // from the base
};

// Bounded in depth and number of nodes. Leaves the program's name and the generation empty.
[[nodiscard]] FlameGraphResult flame_graph(const FlameGraphQuery& query,
                                           FunctionLocations& locations, bool demangle);

}  // namespace gprof::lsp
