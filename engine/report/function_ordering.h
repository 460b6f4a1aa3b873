// gprof's suggested function order (-r): functions that call each other most are adjacent, in
// chains of arcs; functions never called come last.
//
// Thread contract: an ArcChains belongs to one thread; the rest are pure functions. Cost: sorting
// the arcs; everything else is linear.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "engine/report/report_data.h"
#include "engine/report/text_output.h"

namespace gprof {

// An arc between two functions, as used for ordering.
struct OrderingArc {
  ArcIndex index = 0;  // in the graph
  SymbolIndex caller = no_symbol;
  SymbolIndex callee = no_symbol;
  std::uint64_t count = 0;
  bool placed = false;
};

// Excludes arcs of functions to themselves; most calls first, ties oldest first.
[[nodiscard]] std::vector<OrderingArc> ordering_arcs(const CallGraph& graph);

// Functions lined up so that callers are next to their callees. A function joins a chain at the end
// nearer to its partner and never moves; chains are not joined.
class ArcChains {
 public:
  explicit ArcChains(std::size_t symbol_count) : links_(symbol_count), placed_(symbol_count) {}

  [[nodiscard]] bool placed(SymbolIndex symbol) const { return placed_[symbol]; }
  void set_placed(SymbolIndex symbol, bool placed) { placed_[symbol] = placed; }

  // Links functions by the arcs, in their order, and appends the chains to `order`. Arcs of placed
  // functions do not link; of the others, unless `all`, only those that make up the first 99 % of
  // the calls do. Returns the arcs that did not link.
  std::vector<OrderingArc> place(std::vector<OrderingArc> arcs, bool all,
                                 std::vector<SymbolIndex>& order);
  // Appends the symbol's chain, or just the symbol.
  void append_chain(SymbolIndex symbol, std::vector<SymbolIndex>& order);

 private:
  static constexpr std::uint32_t no_chain = std::numeric_limits<std::uint32_t>::max();
  struct Link {
    SymbolIndex next = no_symbol;
    std::uint32_t chain = no_chain;
    std::int64_t position = 0;  // along the chain
  };
  struct Chain {
    SymbolIndex head = no_symbol;
    SymbolIndex tail = no_symbol;
  };

  bool link(SymbolIndex caller, SymbolIndex callee);
  void start_chain(SymbolIndex caller, SymbolIndex callee);
  // `before` breaks ties of distance.
  void join(SymbolIndex symbol, SymbolIndex partner, bool before);

  std::vector<Link> links_;
  std::vector<bool> placed_;
  std::vector<Chain> chains_;
};

// One raw name per line.
void append_function_ordering(const ReportData& data, TextOutput& text);

}  // namespace gprof
