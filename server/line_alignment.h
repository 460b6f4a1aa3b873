// Which lines of one text are which lines of another: pairs of equal lines, in increasing order on
// both sides.
//
// The method is Bram Cohen's patience diff: equal lines at both ends, then lines that are unique on
// both sides in a longest increasing subsequence, then the same between those; a small rest without
// unique lines is aligned by longest common subsequence. A large rest without unique lines stays
// unaligned: the work is near n log n.
// Thread contract: pure function.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace gprof::lsp {

struct LinePair {
  std::size_t a = 0;
  std::size_t b = 0;

  friend bool operator==(const LinePair&, const LinePair&) = default;
};

[[nodiscard]] std::vector<LinePair> align_lines(const std::vector<std::string_view>& a,
                                                const std::vector<std::string_view>& b);

}  // namespace gprof::lsp
