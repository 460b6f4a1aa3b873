// Aligns the lines after an edit with those before it.
//
// The edit itself settles most of it: untouched text stays the same line. Inserted lines are
// compared with removed ones, and are the same only if they are equal and unambiguous.
// Thread contract: pure functions.
#pragma once

#include <span>

#include "server/documents/line_alignment.h"
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

// Counted from the first touched line; those after the edit are here.
[[nodiscard]] LineAlignment align_edit(const TouchedLines& lines);

}  // namespace gprof::lsp
