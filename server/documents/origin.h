// An earlier text of a document that a build may have compiled, and which of its lines each line of
// the document is. Profiles refer to the compiled lines; this carries their numbers through edits.
//
// - An untouched line stays aligned, however far it moves.
// - An edited line stays aligned and counts as changed until an edit restores its former text.
// - An inserted line is aligned with none, unless the same line was deleted at this place before.
// A moved line is a deletion and an insertion.
//
// Line numbers start at 1. Ownership: owns the alignment, shares the hashes of the earlier text's
// lines. Thread contract: const members may be called from any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "engine/support/units.h"
#include "server/documents/line_alignment.h"
#include "server/documents/line_hash.h"
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

class Origin {
 public:
  // The document still has this text.
  explicit Origin(std::shared_ptr<const LineHashes> lines)
      : lines_(std::move(lines)), alignment_(LineAlignment::identity(lines_->size())) {}

  // The earlier text's lines. Never null.
  [[nodiscard]] const std::shared_ptr<const LineHashes>& lines() const { return lines_; }
  // Here: the document; there: the earlier text.
  [[nodiscard]] const LineAlignment& alignment() const { return alignment_; }

  // After an edit; `edit` aligns the document after it (here) with the document before it.
  void follow(const LineAlignment& edit) { alignment_ = edit.then(alignment_); }
  // Call after follow(): finds deleted lines among the new ones. If a whole stretch of new lines
  // equals the lines missing there, they are the same; else only lines that hold a word and are
  // unique on both sides are.
  void restore_deleted(const PresentText& present, std::span<const LineSpan> fresh);
  // As LineAlignment::replace: for an edit that takes back others.
  void restore(LineNumber first, std::size_t count, std::span<const LineNumber> partners) {
    alignment_.replace(first, count, partners);
  }
  // Call after each group of edits: whether they turned the document back into the earlier text,
  // line by line, without this being known yet. Then every line is aligned with itself again.
  bool recognize(std::span<const LineHash> present, LineSpan touched);

 private:
  std::shared_ptr<const LineHashes> lines_;
  LineAlignment alignment_;
};

}  // namespace gprof::lsp
