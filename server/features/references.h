// textDocument/references: where a function was called from according to the profile.
#pragma once

#include <vector>

#include "server/features/call_hierarchy.h"

namespace gprof::lsp {

// On a function's name, at its definition or at a profiled call, and within a definition outside of
// names: the call sites of its callers, hottest first, after the definition if requested. Nothing
// for other names, which are left to other servers.
[[nodiscard]] std::vector<Location> references(const FileView& view, Position position,
                                               bool include_declaration, const OpenView& open_view);

}  // namespace gprof::lsp
