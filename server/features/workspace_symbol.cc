#include "server/features/workspace_symbol.h"

#include <algorithm>
#include <set>

#include "server/features/cost_text.h"

namespace gprof::lsp {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool holds_letters(std::string_view name, std::string_view query) {
  std::size_t matched = 0;
  for (const char c : name) {
    if (matched < query.size() && lower(c) == lower(query[matched])) ++matched;
  }
  return matched == query.size();
}

}  // namespace

std::vector<WorkspaceSymbol> workspace_symbols(const LoadedProgram& program, std::string_view query,
                                               std::size_t limit, const OpenView& open_view) {
  const SourceIndex& sources = program.snapshot->sources();
  std::vector<WorkspaceSymbol> found;
  std::set<const FunctionCost*> seen;
  for (const SymbolIndex symbol : sources.by_heat()) {
    if (found.size() >= limit) break;
    if (!query.empty() && !holds_letters(sources.name(symbol).name, query)) continue;
    const auto declaration = sources.declaration(symbol);
    if (!declaration) continue;
    const auto view = open_view(declaration->file);
    if (!view) continue;
    for (const FunctionCost& function : view->costs->functions) {
      if (!std::binary_search(function.symbols.begin(), function.symbols.end(), symbol)) continue;
      const auto range = name_range(*view, function);
      if (!range || !seen.insert(&function).second) break;
      found.push_back(
          {function.name, SymbolKind::function, {view->uri, *range}, lens_text(*view, function)});
      break;
    }
  }
  return found;
}

}  // namespace gprof::lsp
