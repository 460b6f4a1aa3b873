// textDocument/references: where the profile says that a function was called from.
#pragma once

#include <vector>

#include "server/features/call_hierarchy.h"

namespace gprof::lsp {

// On a function's name, at its definition or at a profiled call, and in a definition where no name
// stands: the call sites of its callers, hottest first, after the definition where that is asked
// for. Nothing on other names, which are other servers' business.
[[nodiscard]] std::vector<Location> references(const FileView& view, Position position,
                                               bool include_declaration, const OpenView& open_view);

}  // namespace gprof::lsp
