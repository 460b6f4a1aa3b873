// textDocument/inlayHint and inlayHint/resolve: the cost of each line, at its end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/features/call_hierarchy.h"
#include "server/features/line_text.h"

namespace gprof::lsp {

struct HintOptions {
  LineTextOptions texts;
  // Members that the client resolves later, such as "tooltip".
  std::vector<std::string> resolved_later;
  MarkupKind tooltip_kind = MarkupKind::plaintext;
  std::uint64_t generation = 0;  // of the programs
};

// Hints of the lines that `range` touches, in their order: a line's hint does not depend on the
// range. Lines edited since the build get none. Pure.
[[nodiscard]] std::vector<InlayHint> inlay_hints(const FileView& view, const Range& range,
                                                 const HintOptions& options);

// The hint with what the client resolves: a tooltip with exact numbers, the callee's definition,
// the function's callees. None if the line's hint would now be different.
[[nodiscard]] std::optional<InlayHint> resolve_inlay_hint(const FileView& view,
                                                          const InlayHint& hint,
                                                          const HintOptions& options,
                                                          const OpenView& open_view);

}  // namespace gprof::lsp
