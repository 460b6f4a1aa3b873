// textDocument/inlayHint and inlayHint/resolve: at the end of each line that cost something, what
// it cost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/features/call_hierarchy.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

struct HintOptions {
  Metric metric = Metric::self;  // whose figure comes first
  double threshold = 0;          // times below this share of the program's are left out
  // Members that the client asks for later, of those that there are; "tooltip" is one.
  std::vector<std::string> resolved_later;
  MarkupKind tooltip_kind = MarkupKind::plaintext;
  std::uint64_t generation = 0;  // of the programs
};

// Hints of the lines that `range` touches, in their order: the same for a line whatever the range.
// Lines that were edited since the build get none. Pure.
[[nodiscard]] std::vector<InlayHint> inlay_hints(const FileView& view, const Range& range,
                                                 const HintOptions& options);

// The hint with what the client resolves: a tooltip with exact numbers, the callee's definition,
// the function's callees. None where the line would have another hint now.
[[nodiscard]] std::optional<InlayHint> resolve_inlay_hint(const FileView& view,
                                                          const InlayHint& hint,
                                                          const HintOptions& options,
                                                          const OpenView& open_view);

}  // namespace gprof::lsp
