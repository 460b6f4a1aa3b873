// textDocument/hover: a function or a line in full, with exact numbers, their errors, and links to
// callers and callees.
#pragma once

#include <optional>
#include <span>

#include "server/features/call_hierarchy.h"

namespace gprof::lsp {

// On a function's name, in its declaration or at a profiled call: the function. Elsewhere: the
// line; if it was changed since the build, only that it was. None if the profile has nothing.
// `others` are views of the same file in other programs.
[[nodiscard]] std::optional<Hover> hover(const FileView& view, std::span<const FileView> others,
                                         Position position, MarkupKind kind,
                                         const OpenView& open_view);

}  // namespace gprof::lsp
