// workspace/symbol: the functions of the program, hottest first.
#pragma once

#include <string_view>
#include <vector>

#include "server/features/call_hierarchy.h"

namespace gprof::lsp {

// Functions with time or calls whose names hold the letters of `query` in order, ignoring case; all
// for an empty query. At most `limit`. Functions whose source is not here are left out.
[[nodiscard]] std::vector<WorkspaceSymbol> workspace_symbols(const LoadedProgram& program,
                                                             std::string_view query,
                                                             std::size_t limit,
                                                             const OpenView& open_view);

}  // namespace gprof::lsp
