#include "engine/report/graph_index.h"

#include <algorithm>

namespace gprof {
namespace {

const Propagation& propagated(const GraphEntry& entry, const CallGraph& graph) {
  return entry.is_cycle() ? graph.cycle(entry.cycle).propagated
                          : graph.node(entry.symbol).propagated;
}

// Whether `a` stands before `b`. Entries of cycles keep their order among themselves.
class StandsBefore {
 public:
  StandsBefore(const CallGraph& graph, const SourceSymbolTable& symbols)
      : graph_(graph), symbols_(symbols) {}

  bool operator()(const GraphEntry& a, const GraphEntry& b) const {
    const Ticks total_a = propagated(a, graph_).total();
    const Ticks total_b = propagated(b, graph_).total();
    if (total_a != total_b) return total_a > total_b;
    if (a.is_cycle() || b.is_cycle()) return a.is_cycle() && !b.is_cycle();
    const std::string_view name_a = symbols_[a.symbol].name;
    const std::string_view name_b = symbols_[b.symbol].name;
    if (name_a.starts_with('_') != name_b.starts_with('_')) return name_b.starts_with('_');
    const std::uint64_t calls_a = graph_.node(a.symbol).calls;
    const std::uint64_t calls_b = graph_.node(b.symbol).calls;
    return calls_a != calls_b ? calls_a > calls_b : name_a < name_b;
  }

 private:
  const CallGraph& graph_;
  const SourceSymbolTable& symbols_;
};

}  // namespace

GraphIndex::GraphIndex(const CallGraph& graph, const SourceSymbolTable& symbols) {
  for (SymbolIndex symbol = 0; symbol < symbols.size(); ++symbol) entries_.push_back({symbol, 0});
  for (CycleNumber cycle = 1; cycle <= graph.cycle_count(); ++cycle) {
    entries_.push_back({no_symbol, cycle});
  }
  std::stable_sort(entries_.begin(), entries_.end(), StandsBefore(graph, symbols));
  symbol_numbers_.resize(symbols.size());
  cycle_numbers_.resize(graph.cycle_count());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const auto number = static_cast<std::uint32_t>(i + 1);
    const GraphEntry& entry = entries_[i];
    (entry.is_cycle() ? cycle_numbers_[entry.cycle - 1] : symbol_numbers_[entry.symbol]) = number;
  }
}

}  // namespace gprof
