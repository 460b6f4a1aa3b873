#include "server/features/call_site_query.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "server/features/call_graph_around.h"
#include "server/features/call_site_list.h"
#include "server/features/library_functions.h"

namespace gprof::lsp {

CallSitesResult call_sites_at(const FileView& view, Position position, bool callers,
                              std::string_view function, FunctionLocations& locations,
                              const OpenView& open_view, bool demangle) {
  if (callers && function.empty()) {
    if (const auto library = library_function_at(view, position)) {
      return library_call_sites(*library, locations, demangle);
    }
  }
  const auto found = function_at(view, position, open_view, function);
  if (!found) return {};
  return call_site_list(*found->function, callers, locations, demangle);
}

CallSitesResult call_sites_named(std::string_view symbol, bool callers,
                                 FunctionLocations& locations, bool demangle) {
  const Snapshot& snapshot = *locations.program().snapshot;
  // First: a search of the program's symbols demangles all of them if none has the name.
  if (const auto library = library_function_named(snapshot, symbol)) {
    return callers ? library_call_sites(*library, locations, demangle) : CallSitesResult();
  }
  std::vector<SymbolIndex> symbols = symbols_named(snapshot, symbol);
  if (symbols.empty()) return {};
  FunctionCost function;
  function.name = snapshot.sources().name(symbols.front()).name;
  std::ranges::sort(symbols);
  function.symbols = std::move(symbols);
  return call_site_list(function, callers, locations, demangle);
}

}  // namespace gprof::lsp
