// Which functions were called by uninstrumented code, and which may call such code: the bounds of
// time_bounds.h must allow for both.
//
// Cost: disassembles what ran, if there is such code at all. Thread contract: a pure function.
#pragma once

#include "engine/callgraph/time_bounds.h"
#include "engine/code/machine_code.h"
#include "engine/object/symbol_table.h"

namespace gprof {

[[nodiscard]] UninstrumentedCode find_uninstrumented_code(const SymbolTable& symbols,
                                                          const MachineCode& code,
                                                          const CallGraph& graph);

}  // namespace gprof
