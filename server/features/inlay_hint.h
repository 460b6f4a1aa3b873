// textDocument/inlayHint: at the end of each line that cost something, what it cost.
#pragma once

#include <vector>

#include "server/features/file_view.h"

namespace gprof::lsp {

// Hints of the lines that `range` touches, in their order: the same for a line whatever the range.
// Lines that were edited since the build get none. Pure.
[[nodiscard]] std::vector<InlayHint> inlay_hints(const FileView& view, const Range& range,
                                                 double threshold);

}  // namespace gprof::lsp
