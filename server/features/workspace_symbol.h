// workspace/symbol: the functions of the programs, hottest first.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "server/features/call_hierarchy.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

// Opens views of a program's other files.
using OpenProgram = std::function<OpenView(const LoadedProgram&)>;

struct SymbolSearch {
  std::string_view query;
  ShownMetric metric = ShownMetric::time;  // executions: by calls, as functions have no executions
  std::size_t limit = 128;
  bool demangle = true;
};

// Functions with time or calls whose names contain the letters of the query in order, ignoring
// case; all for an empty query. Sorted by share of their program's time, or by calls; a function in
// several programs is listed once. Functions whose source is not available are left out.
//
// `open_program` need not gather costs. Cost: a pass over all functions, plus the texts and units
// of those listed.
[[nodiscard]] std::vector<WorkspaceSymbol> workspace_symbols(
    const std::vector<LoadedProgram>& programs, const SymbolSearch& search,
    const OpenProgram& open_program);

}  // namespace gprof::lsp
