// The order of the call graph's entries and the numbers by which they refer to each other.
//
// An entry is a symbol's or a whole cycle's. All get a number, from 1, also those that are not
// printed. Units: ticks. Ownership: owns its numbers; refers to symbols and cycles by index.
// Thread contract: immutable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/callgraph/call_graph.h"
#include "engine/report/report_data.h"

namespace gprof {

struct GraphEntry {
  SymbolIndex symbol = no_symbol;  // none: the entry of a whole cycle
  CycleNumber cycle = 0;           // of that whole cycle

  [[nodiscard]] bool is_cycle() const { return symbol == no_symbol; }
};

class GraphIndex {
 public:
  GraphIndex() = default;
  // By falling time; then cycles first, names without a leading underscore, more calls, the name.
  explicit GraphIndex(const ReportData& data);

  [[nodiscard]] std::span<const GraphEntry> entries() const { return entries_; }
  // 0 where no graph was made.
  [[nodiscard]] std::uint32_t number_of(SymbolIndex symbol) const {
    return symbol < symbol_numbers_.size() ? symbol_numbers_[symbol] : 0;
  }
  [[nodiscard]] std::uint32_t number_of_cycle(CycleNumber cycle) const {
    return cycle_numbers_[cycle - 1];
  }

 private:
  std::vector<GraphEntry> entries_;
  std::vector<std::uint32_t> symbol_numbers_;
  std::vector<std::uint32_t> cycle_numbers_;
};

}  // namespace gprof
