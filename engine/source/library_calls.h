// Which functions may have called libraries, directly or by way of others. Without stacks, the
// totals of functions do not contain the time that libraries took.
//
// Units: ticks. Ownership: borrows what it is made of; caches what it has decoded. Thread contract:
// one thread. Errors: none; code that cannot be decoded may call libraries. Cost: decodes the
// functions that a question reaches, up to a bound, each once.
#pragma once

#include <map>
#include <span>

#include "engine/analysis/function_costs.h"
#include "engine/callgraph/call_graph.h"
#include "engine/code/machine_code.h"
#include "engine/object/symbol_table.h"

namespace gprof {

// Of samples in libraries, without those in the collector.
[[nodiscard]] Ticks library_time(const FunctionCosts& profile);

class LibraryCalls {
 public:
  LibraryCalls(const SymbolTable& symbols, const MachineCode& code, const CallGraph& graph)
      : symbols_(symbols), code_(code), graph_(graph) {}

  // Whether one of the functions, or one that they called as far as calls were counted, may have
  // called a library.
  [[nodiscard]] bool are_reached_by(std::span<const SymbolIndex> function);

 private:
  [[nodiscard]] bool may_call_a_library(SymbolIndex symbol);

  const SymbolTable& symbols_;
  const MachineCode& code_;
  const CallGraph& graph_;
  std::map<SymbolIndex, bool> known_;
};

}  // namespace gprof
