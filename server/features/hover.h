// textDocument/hover: a function or a line in full, with exact numbers, their errors, and links to
// callers and callees.
#pragma once

#include <optional>

#include "server/features/call_hierarchy.h"

namespace gprof::lsp {

// On a function's name, in its declaration or at a profiled call: the function. Elsewhere: the
// line. None where the profile says nothing.
[[nodiscard]] std::optional<Hover> hover(const FileView& view, Position position, MarkupKind kind,
                                         const OpenView& open_view);

}  // namespace gprof::lsp
