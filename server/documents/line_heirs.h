// Which of the lines that an edit leaves is which of the lines that it found.
//
// The edit itself says most of it: text that it did not touch stays what it was. Lines that it
// brought along are held against those that it took away, and are the same only where they are
// equal and nothing else could be meant.
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "server/documents/line_hash.h"

namespace gprof::lsp {

// The lines from the edit's beginning to its end, as it found and as it left them. Its `prefix` is
// what it kept of the first line before it, its `suffix` what it kept of the last line behind it.
struct TouchedLines {
  std::span<const LineHash> before;  // at least one
  std::span<const LineHash> after;   // at least one
  bool prefix_was_line = false;      // the prefix is all of the first line before
  bool prefix_is_line = false;       // and all of the first line after
  bool suffix_was_line = false;      // the suffix is all of the last line before
  bool suffix_is_line = false;       // and all of the last line after
  bool prefix_has_text = false;      // more than blanks
  bool suffix_has_text = false;
};

constexpr std::size_t no_heir = std::numeric_limits<std::size_t>::max();

// For each line after, the index of the line before that it is, or `no_heir`. In increasing order.
[[nodiscard]] std::vector<std::size_t> inherit_lines(const TouchedLines& lines);
// The same where a whole text was replaced by another.
[[nodiscard]] std::vector<std::size_t> inherit_text(std::span<const LineHash> before,
                                                    std::span<const LineHash> after);

}  // namespace gprof::lsp
