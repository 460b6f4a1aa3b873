// Which functions of other modules the profile's own code called, and what they took.
//
// A call of an imported function is known by the name that it was imported under, whatever code of
// the library runs for it (sin, where __sin_fma does); any other call by the name of the code that
// it reached.
//
// Units: ticks. Ownership: the result owns its names. Thread contract: a pure function. Errors:
// none; without either name only the module is known.
#pragma once

#include <span>
#include <vector>

#include "engine/analysis/stack_samples.h"
#include "engine/callgraph/measured_times.h"
#include "engine/code/machine_code.h"

namespace gprof {

struct ExternalCallee {
  ExternalCode code;
  Ticks ticks = 0;
};

// One per function, and one per module for calls of no known function; most time first.
[[nodiscard]] std::vector<ExternalCallee> external_callees(const SymbolTable& symbols,
                                                           const MachineCode& code,
                                                           const StackSamples& stacks,
                                                           std::span<const ExternalCall> calls);

}  // namespace gprof
