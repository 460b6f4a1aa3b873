// What a comparison with the base says of the whole program, in one line: for the status.
//
// Thread contract: pure.
#pragma once

#include <optional>

#include "server/protocol/extensions.h"
#include "server/sources/loaded_program.h"

namespace gprof::lsp {

// "0.51 → 0.77 s, +51 %: regressed", "0.51 → 0.52 s: no difference beyond noise"; none without a
// base.
[[nodiscard]] std::optional<ProgramComparison> program_comparison(const LoadedProgram& program);

}  // namespace gprof::lsp
