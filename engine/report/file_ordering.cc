#include "engine/report/file_ordering.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "engine/report/function_ordering.h"

namespace gprof {

void append_file_ordering(const ReportData& data, const MappedSymbols& mapped, TextOutput& text) {
  const auto symbol_count = static_cast<SymbolIndex>(data.symbols.size());
  ArcChains chains(symbol_count);
  std::vector<SymbolIndex> order;
  const auto is_mapped = [&](SymbolIndex symbol) {
    return std::ranges::binary_search(mapped.addresses, data.symbols[symbol].address);
  };
  std::vector<OrderingArc> arcs = ordering_arcs(data.graph);
  for (OrderingArc& arc : arcs) arc.placed = !is_mapped(arc.caller) || !is_mapped(arc.callee);
  // Oldest first: only functions are ordered by their counts. Arcs of files that are not in the map
  // count as placed from the start.
  std::ranges::sort(arcs, {}, &OrderingArc::index);
  chains.place(std::move(arcs), false, order);
  for (SymbolIndex symbol = 0; symbol < symbol_count; ++symbol) {
    if (is_mapped(symbol) && !chains.placed(symbol)) order.push_back(symbol);
  }
  std::set<std::string_view> printed;
  const auto append = [&](std::string_view file) {
    text += file;
    text += '\n';
  };
  for (const SymbolIndex symbol : order) {
    append(data.symbols[symbol].name);
    printed.insert(data.symbols[symbol].name);
  }
  for (const std::string& file : mapped.files) {
    if (!printed.contains(file)) append(file);
  }
}

}  // namespace gprof
