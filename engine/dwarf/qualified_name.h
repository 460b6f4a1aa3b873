// The full names of functions: "ns::box::grow", "(anonymous namespace)::help",
// "main()::{lambda()}", "pkg.proc" for Ada.
#pragma once

#include <string>

#include "engine/dwarf/die_graph.h"

namespace gprof::dwarf {

// Names are cut at this many bytes, which real ones never reach.
inline constexpr std::size_t longest_name = 16'384;

// The name of the function `origins.front()`, with that of each scope around its declaration. Empty
// if DWARF gives it none.
[[nodiscard]] std::string qualified_name(DieGraph& graph, const std::vector<DieReference>& origins);

}  // namespace gprof::dwarf
