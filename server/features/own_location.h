// Where the program's own sources make a call that code inlined into them makes.
//
// Thread contract: pure functions.
#pragma once

#include <optional>

#include "engine/source/program_sources.h"

namespace gprof::lsp {

// The innermost line that is in no header of the system: not in the std::lock_guard of a header,
// but where that is made. Else the outermost line; none without debug information. `call`: the last
// byte of a call instruction.
[[nodiscard]] std::optional<SourceLocation> own_location(const ProgramSources& sources,
                                                         Address call);

}  // namespace gprof::lsp
