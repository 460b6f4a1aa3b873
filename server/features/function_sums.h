// The cost of each function of a program including its clones: split-off parts and specialised
// copies made by the compiler.
//
// Units: ticks. Thread contract: pure functions. Cost: linear in the program's symbols.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/analysis.h"

namespace gprof::lsp {

struct FunctionSum {
  SymbolIndex symbol = no_symbol;  // the function itself
  std::uint64_t calls = 0;         // by others
  std::uint64_t recursive_calls = 0;
  FunctionTime time;
  std::vector<SymbolIndex> with_clones = {};  // with the function itself; empty if there are none

  // Its code, ascending.
  [[nodiscard]] std::span<const SymbolIndex> symbols() const {
    return with_clones.empty() ? std::span(&symbol, 1) : std::span(with_clones);
  }
};

// For every function that was called or has self or total time; ascending by symbol.
[[nodiscard]] std::vector<FunctionSum> function_sums(const Snapshot& snapshot);

}  // namespace gprof::lsp
