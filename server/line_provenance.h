// Which line of the opened text each line of the edited text is. Profiles speak of the lines that
// were compiled; this carries their numbers through edits.
//
// - A line that no edit touched keeps its original, however far it moves.
// - A line whose text an edit changes keeps its original and is marked as changed, until an edit
//   gives it the original's text again.
// - An inserted line has no original, unless it is one that was deleted at this very place (undo).
// Originals are in increasing order from line to line: a moved line is a deletion and an insertion.
//
// Line numbers start at 1. Ownership: owns its maps, shares the original text.
// Thread contract: const members may be called from any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/units.h"
#include "server/line_table.h"

namespace gprof::lsp {

// The text as it was opened.
struct OriginalText {
  std::string text;
  LineTable lines;
};

struct TextLines {
  std::string_view text;
  const LineTable& lines;
};

class LineProvenance {
 public:
  explicit LineProvenance(std::shared_ptr<const OriginalText> original)
      : original_(std::move(original)) {}

  // Empty for an inserted line and for a line that the text does not have.
  [[nodiscard]] std::optional<LineNumber> original_line(LineNumber current) const;
  // Empty for a deleted line.
  [[nodiscard]] std::optional<LineNumber> current_line(LineNumber original) const;
  [[nodiscard]] const OriginalText& original() const { return *original_; }
  // No edit has touched the text, or all lines are back in their places.
  [[nodiscard]] bool is_identity() const { return origins_.empty(); }

  // After the lines `before`, which began at line `first` (from 0) of a text of `count_before`
  // lines, became the lines `after`. Lines outside are the same in both texts.
  void replace(const std::vector<std::string_view>& before, std::size_t count_before,
               const std::vector<std::string_view>& after, std::size_t first);
  // Once after each group of edits, with the text that they have left: looks for deleted lines that
  // are back, and makes current_line() answer for this text.
  void finish_edits(TextLines text);

 private:
  void restore_deleted(TextLines text);

  std::shared_ptr<const OriginalText> original_;
  // One entry a current line, 0 for none. Both are empty while every line is its own original.
  std::vector<LineNumber> origins_;
  std::vector<LineNumber> current_;  // the inverse, one entry an original line
};

}  // namespace gprof::lsp
