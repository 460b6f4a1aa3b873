// The order of the call graph's entries, and the numbers they refer to each other by.
//
// An entry is for a symbol or a whole cycle. All are numbered, from 1, including those not printed.
// Units: ticks. Ownership: owns its numbers; refers to symbols and cycles by index.
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
  // By descending time; then cycles, names without a leading underscore, more calls, the name.
  explicit GraphIndex(const ReportData& data);

  [[nodiscard]] std::span<const GraphEntry> entries() const { return entries_; }
  // 0 if there is no graph.
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
