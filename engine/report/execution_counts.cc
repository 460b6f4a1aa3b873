#include "engine/report/execution_counts.h"

#include <compare>
#include <vector>

#include "engine/report/layout.h"
#include "engine/report/merge_sort.h"

namespace gprof {
namespace {

int sign(std::strong_ordering order) { return order < 0 ? -1 : (order > 0 ? 1 : 0); }

// By place if both symbols have one, else by address. Not transitive: see merge_sort.h.
int compare_symbols(const SourceSymbolTable& symbols, SymbolIndex left, SymbolIndex right) {
  const SourceSymbol& a = symbols[left];
  const SourceSymbol& b = symbols[right];
  if (a.file != no_source_file && b.file != no_source_file) {
    if (a.file != b.file) {
      const int order = symbols.path(a.file).compare(symbols.path(b.file));
      if (order != 0) return order;
    }
    if (a.line != b.line) return sign(a.line <=> b.line);
  }
  return sign(a.address <=> b.address);
}

// Only the selected symbols: others must not take part in the sort, whose result depends on them.
std::vector<SymbolIndex> symbols_by_place(const ReportData& data) {
  std::vector<SymbolIndex> order;
  for (SymbolIndex index = 0; index < data.symbols.size(); ++index) {
    if (data.selected.chosen(SymspecList::include_executions, SymspecList::exclude_executions,
                             data.symbols[index].address)) {
      order.push_back(index);
    }
  }
  merge_sort(std::span(order), [&](SymbolIndex left, SymbolIndex right) {
    return compare_symbols(data.symbols, left, right);
  });
  return order;
}

// "PATH:LINE"
void append_place(TextOutput& text, const SourceSymbolTable& symbols, const SourceSymbol& symbol) {
  if (symbol.file == no_source_file) {
    append(text, "<unknown>:{}", symbol.line);
    return;
  }
  const TextOutput::Mark mark(text, RangeKind::file, symbol.file, symbol.line);
  append(text, "{}:{}", symbols.path(symbol.file), symbol.line);
}

}  // namespace

void append_execution_counts(const ReportData& data, const ReportRequest& request,
                             TextOutput& text) {
  for (const SymbolIndex index : symbols_by_place(data)) {
    if (index == data.unknown_code) continue;
    const SourceSymbol& symbol = data.symbols[index];
    auto append_count = [&](Address address, std::uint64_t count) {
      if (count == 0 && !request.show_unused) return;
      append_place(text, data.symbols, symbol);
      text += ": (";
      text.append(RangeKind::function, symbol.name, address.value);
      append(text, ":0x{:x}) {} executions\n", address.value, count);
    };
    append_count(symbol.address, data.graph.node(index).calls);
    for (const BlockCount& block : data.blocks.of(index)) append_count(block.address, block.count);
  }
}

}  // namespace gprof
