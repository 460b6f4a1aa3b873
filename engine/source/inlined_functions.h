// The functions that were inlined where stacks were sampled, for flame trees to show as frames of
// their own.
//
// Cost: decodes the units in which stacks were sampled, each once, up to a limit: those with the
// most samples. In the others inlined code counts as its function's. Units: as in StackSamples.
// Thread contract: any thread. Errors: none; what the debug information does not say is missing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/analysis/stack_samples.h"
#include "engine/callgraph/inlined_chains.h"
#include "engine/source/program_sources.h"

namespace gprof {

struct InlinedFunction {
  std::string name;  // qualified by namespaces and classes if known
  Declaration declaration;
};

struct InlinedFunctions {
  std::vector<InlinedFunction> functions;  // by the numbers in `chains`
  InlinedChains chains;
};

inline constexpr std::size_t most_units_of_stacks = 500;

[[nodiscard]] InlinedFunctions inlined_functions(const StackSamples& stacks,
                                                 const ProgramSources& sources,
                                                 std::size_t most_units = most_units_of_stacks);

}  // namespace gprof
