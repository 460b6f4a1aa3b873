// Matches the lines of two texts, in increasing order on both sides.
//
// The method is Bram Cohen's patience diff: equal lines at both ends, then lines that are unique on
// both sides in a longest increasing subsequence, then the same between those; a small remainder
// without unique lines is aligned by longest common subsequence. A large remainder without unique
// lines stays unaligned: the work is near n log n.
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "server/documents/line_hash.h"

namespace gprof::lsp {

struct LinePair {
  std::size_t a = 0;
  std::size_t b = 0;

  friend bool operator==(const LinePair&, const LinePair&) = default;
};

// Pairs of equal lines.
[[nodiscard]] std::vector<LinePair> align_lines(std::span<const LineHash> a,
                                                std::span<const LineHash> b);

// Only the unambiguous pairs. If one of two equal neighbours was deleted, it is unknown which:
// neither is paired.
[[nodiscard]] std::vector<LinePair> align_sure_lines(std::span<const LineHash> a,
                                                     std::span<const LineHash> b);

// Adds changed lines to sure pairs: if two pairs enclose equally many lines on both sides, and no
// line is on both, those lines are paired in order. Not if fewer lines are paired than stand there:
// then one text did not become the other by editing.
[[nodiscard]] std::vector<LinePair> with_changed_lines(const std::vector<LinePair>& sure,
                                                       std::span<const LineHash> a,
                                                       std::span<const LineHash> b);

}  // namespace gprof::lsp
