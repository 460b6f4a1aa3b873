// One replacement in a text, before it is made.
//
// Offsets are bytes. Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gprof::lsp {

struct TextEdit {
  std::size_t offset = 0;
  std::size_t removed = 0;
  std::string inserted;

  [[nodiscard]] bool empty() const { return removed == 0 && inserted.empty(); }
  [[nodiscard]] bool breaks_lines(std::string_view text) const;
};

// Drops the common prefix of the removed and the inserted text, then their common suffix.
[[nodiscard]] TextEdit trimmed(std::string_view text, const TextEdit& edit);

// Widened to include both if an end of the edit lies between a CR and an LF: then the lines around
// it begin and end as they did.
[[nodiscard]] TextEdit with_whole_line_ends(std::string_view text, TextEdit edit);

}  // namespace gprof::lsp
