// Tracks which line of an earlier text each line of a document is. Profiles refer to the compiled
// lines; this carries their numbers through edits.
//
// - An untouched line keeps its origin, however far it moves.
// - An edited line keeps its origin and counts as changed until an edit restores
//   the origin's text.
// - An inserted line has no origin, unless the same line was deleted at this place before.
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

class LineOrigins {
 public:
  // For a text that still is the original.
  explicit LineOrigins(std::shared_ptr<const LineHashes> original)
      : original_(std::move(original)), runs_(LineRuns::identity(original_->size())) {}

  // Empty for an inserted line and for one past the end.
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

  // Replaces `count` lines from `first` on with as many as there are origins (0: no origin).
  void replace(LineNumber first, std::size_t count, std::span<const LineNumber> origins) {
    runs_.replace(first, count, origins);
  }
  // Call after each edit: finds deleted lines among the new ones. If a whole stretch of new lines
  // equals the originals missing there, they match; else only lines that hold a word and are unique
  // on both sides do.
  void restore_deleted(const PresentText& present, std::span<const LineSpan> fresh);
  // Call after each group of edits: whether they turned the text back into the original, line by
  // line, without this being known yet. Then every line is its own origin again.
  bool recognize_original(std::span<const LineHash> present, LineSpan touched);

 private:
  std::shared_ptr<const LineHashes> original_;
  LineRuns runs_;  // here: the document; there: the original
};

}  // namespace gprof::lsp
