// workspace/symbol: the functions of the programs, hottest first.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "server/features/call_hierarchy.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

// The views of further files of a program.
using OpenProgram = std::function<OpenView(const LoadedProgram&)>;

struct SymbolSearch {
  std::string_view query;
  Metric metric = Metric::self;  // executions: by calls, which functions are counted by
  std::size_t limit = 128;
  bool demangle = true;
};

// Functions with time or calls whose names hold the letters of the query in order, ignoring case;
// all for an empty query. By their share of their program's time, or by their calls; a function
// that several programs have is listed once. Functions whose source is not here are left out.
//
// `open_program` need not gather costs. Cost: a pass over all functions, and the texts and units of
// those that are listed.
[[nodiscard]] std::vector<WorkspaceSymbol> workspace_symbols(
    const std::vector<LoadedProgram>& programs, const SymbolSearch& search,
    const OpenProgram& open_program);

}  // namespace gprof::lsp
