// Matches the lines after an edit to those before it.
//
// The edit itself settles most of it: untouched text keeps its identity. Inserted lines are
// compared with removed ones, and match only if they are equal and unambiguous.
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "server/documents/line_hash.h"

namespace gprof::lsp {

// The lines from the edit's start to its end, before and after it. `prefix` is what it kept of the
// first line in front of it, `suffix` what it kept of the last line following it.
struct TouchedLines {
  std::span<const LineHash> before;  // at least one
  std::span<const LineHash> after;   // at least one
  bool prefix_was_line = false;      // the prefix is all of the first line before
  bool prefix_is_line = false;       // and all of the first line after
  bool suffix_was_line = false;      // the suffix is all of the last line before
  bool suffix_is_line = false;       // and all of the last line after
  bool prefix_has_text = false;      // not just blanks
  bool suffix_has_text = false;
};

constexpr std::size_t no_heir = std::numeric_limits<std::size_t>::max();

// For each line after the edit, the index of the matching line before it, or `no_heir`. Increasing.
[[nodiscard]] std::vector<std::size_t> inherit_lines(const TouchedLines& lines);
// The same for a replacement of the whole text.
[[nodiscard]] std::vector<std::size_t> inherit_text(std::span<const LineHash> before,
                                                    std::span<const LineHash> after);

}  // namespace gprof::lsp
