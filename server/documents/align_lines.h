// Aligns two texts by comparing their lines. Of the result, `after` is here and `before` there.
//
// The method is Bram Cohen's patience diff: equal lines at both ends, then lines that are unique on
// both sides in a longest increasing subsequence, then the same between those; a small remainder
// without unique lines is aligned by longest common subsequence. A large remainder without unique
// lines stays unaligned: the work is near n log n.
// Thread contract: pure functions.
#pragma once

#include <span>

#include "server/documents/line_alignment.h"
#include "server/documents/line_hash.h"

namespace gprof::lsp {

// Equal lines.
[[nodiscard]] LineAlignment align_lines(std::span<const LineHash> before,
                                        std::span<const LineHash> after);

// Only the unambiguous ones. If one of two equal neighbours was deleted, it is unknown which:
// neither is aligned.
[[nodiscard]] LineAlignment align_sure_lines(std::span<const LineHash> before,
                                             std::span<const LineHash> after);

// The sure lines, and changed ones between them: if two sure lines enclose equally many lines on
// both sides, and no line is on both, those lines are aligned in order. Not if the sure lines are
// fewer: then one text did not become the other by editing.
[[nodiscard]] LineAlignment align_changed_lines(std::span<const LineHash> before,
                                                std::span<const LineHash> after);

}  // namespace gprof::lsp
