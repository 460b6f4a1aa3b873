// What each function of a program cost with its clones: the split-off parts and the specialised
// copies that the compiler made of it.
//
// Units: ticks. Thread contract: pure functions. Cost: proportional to the program's symbols.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/analysis.h"

namespace gprof::lsp {

struct FunctionSum {
  SymbolIndex symbol = no_symbol;  // of the function itself
  std::uint64_t calls = 0;         // by others
  std::uint64_t recursive_calls = 0;
  FunctionTime time;
};

// Of every function that was called or took time, its callees' included; ascending by symbol.
[[nodiscard]] std::vector<FunctionSum> function_sums(const Snapshot& snapshot);

}  // namespace gprof::lsp
