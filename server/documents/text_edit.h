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

// Without what the removed and the inserted text have in common at their beginnings, then at their
// ends.
[[nodiscard]] TextEdit trimmed(std::string_view text, const TextEdit& edit);

// Widened, where an end of it lies between a CR and an LF before or after it, to hold both: then
// the lines around it begin and end as they did.
[[nodiscard]] TextEdit with_whole_line_ends(std::string_view text, TextEdit edit);

}  // namespace gprof::lsp
