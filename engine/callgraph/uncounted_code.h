// Which functions of a program were called by code that counts no calls, and which may call such
// code: what the bounds of time_bounds.h have to allow for.
//
// Cost: disassembles what ran, where there is such code at all. Thread contract: a pure function.
#pragma once

#include "engine/callgraph/time_bounds.h"
#include "engine/code/machine_code.h"
#include "engine/object/symbol_table.h"

namespace gprof {

[[nodiscard]] UncountedCode find_uncounted_code(const SymbolTable& symbols, const MachineCode& code,
                                                const CallGraph& graph);

}  // namespace gprof
