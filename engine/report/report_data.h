// The input of every report: symbols with their times, calls and executions, and the graph.
//
// Units: ticks. Ownership: owns everything. Thread contract: immutable once built.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/analysis/sample_errors.h"
#include "engine/callgraph/call_graph.h"
#include "engine/callgraph/time_bounds.h"
#include "engine/gmon/raw_profile.h"
#include "engine/symbols/source_symbols.h"
#include "engine/symspec/symspec_tables.h"

namespace gprof {

// The samples of the histograms, by symbol.
struct SampleTally {
  std::vector<Ticks> self;  // one per symbol
  // Of all bins, minus those of symbols that the flat profile leaves out.
  Ticks total = 0;
  Ticks unattributed = 0;  // in no symbol
  double rate = 0;         // ticks per second; 0 if no histogram was read
  double scale = 0;        // units of two bytes per bin
  std::string dimension = "seconds";
  char abbreviation = 's';
};

// The executions of basic blocks, by symbol (-l).
class BlockTally {
 public:
  BlockTally() = default;
  BlockTally(std::span<const BlockCount> blocks, const SourceSymbolTable& symbols);
  // In profile order, with equal addresses merged; at most `most_blocks_a_symbol`.
  [[nodiscard]] std::span<const BlockCount> of(SymbolIndex symbol) const;

  // GNU gprof's limit; a symbol's further blocks are not counted.
  static constexpr std::size_t most_blocks_a_symbol = 10;

 private:
  std::vector<std::uint32_t> first_;
  std::vector<BlockCount> blocks_;
};

// Time in a function of another module, or in its code of no known function.
struct ExternalTime {
  std::string name;  // as shown: "snprintf [libc.so.6]"
  Ticks ticks = 0;
};

struct ReportData {
  SourceSymbolTable symbols;
  std::vector<SymbolIndex> by_name;  // all symbols; see name_order.h
  SymspecTables selected;
  SampleTally samples;
  SampleErrors errors;  // (--error)
  BlockTally blocks;
  CallGraph graph;  // calls of a symbol: graph.node(symbol).calls, excluding its calls of itself
  // One standard deviation of each symbol's time including callees; empty unless requested
  // (--accurate with --error).
  std::vector<Ticks> total_errors;
  // What is certain if nothing was measured (--accurate); null unless requested.
  std::shared_ptr<const BoundedTimes> bounds;
  // The row for samples in code of no function (--accurate): it only has time, and is not in
  // execution counts and orderings.
  SymbolIndex unknown_code = no_symbol;
  // Rows of the flat profile alone (--accurate, of the whole program); most time first.
  std::vector<ExternalTime> external;
  bool has_samples = false;
  bool has_arcs = false;
};

}  // namespace gprof
