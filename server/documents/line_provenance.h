// Which line of an earlier text each line of a document is. Profiles speak of the lines that were
// compiled; this carries their numbers through edits.
//
// - A line that no edit touched keeps its origin, however far it moves.
// - A line whose text an edit changes keeps its origin and counts as changed, until an edit gives
//   it the origin's text again.
// - An inserted line has no origin, unless it is one that was deleted at this very place.
// Origins are in increasing order from line to line: a moved line is a deletion and an insertion.
//
// Line numbers start at 1. Ownership: owns its map, shares the hashes of the earlier text's lines.
// Thread contract: const members may be called from any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/support/units.h"
#include "server/documents/line_hash.h"
#include "server/documents/line_runs.h"
#include "server/documents/line_table.h"

namespace gprof::lsp {

// A text as it is now, by its lines.
struct PresentText {
  std::string_view text;
  const LineTable& lines;
  std::span<const LineHash> hashes;
};

// Lines by number: from `first` to `last`, both included.
struct LineSpan {
  LineNumber first = 0;
  LineNumber last = 0;
};

class LineProvenance {
 public:
  // Of a text that is the original still.
  explicit LineProvenance(std::shared_ptr<const LineHashes> original)
      : original_(std::move(original)), runs_(LineRuns::identity(original_->size())) {}

  // Empty for an inserted line and for a line that the text does not have.
  [[nodiscard]] std::optional<LineNumber> original_line(LineNumber current) const {
    return runs_.there(current);
  }
  // Empty for a deleted line.
  [[nodiscard]] std::optional<LineNumber> current_line(LineNumber original) const {
    return runs_.here(original);
  }
  // The earlier text's lines.
  [[nodiscard]] const std::shared_ptr<const LineHashes>& original() const { return original_; }
  [[nodiscard]] const LineRuns& runs() const { return runs_; }

  // `count` lines from `first` on became as many lines as there are origins (0 for none).
  void replace(LineNumber first, std::size_t count, std::span<const LineNumber> origins) {
    runs_.replace(first, count, origins);
  }
  // After each edit: looks among the lines that it brought for deleted lines that are back. Where a
  // whole stretch of new lines equals the stretch of originals that are missing there, it is these;
  // else only lines that hold a word and stand once on either side.
  void restore_deleted(const PresentText& present, std::span<const LineSpan> fresh);
  // After each group of edits: whether it made the text the original line by line, where it was not
  // known to be that. Then every line is itself again.
  bool recognize_original(std::span<const LineHash> present, LineSpan touched);

 private:
  std::shared_ptr<const LineHashes> original_;
  LineRuns runs_;  // here: the document; there: the original
};

}  // namespace gprof::lsp
