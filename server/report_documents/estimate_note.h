// The first sentence of a call graph with gprof's estimates, if the recording's stacks contradict
// them.
//
// Thread contract: pure functions.
#pragma once

#include <string>

#include "server/sources/loaded_program.h"

namespace gprof::lsp {

// About functions whose estimated and measured totals differ by more than three standard deviations
// and 1 % of the program. With an empty line after it; empty if there are none.
[[nodiscard]] std::string estimate_note(const LoadedProgram& program, bool demangle);

}  // namespace gprof::lsp
