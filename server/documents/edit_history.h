// The newest edits of a document, so that undo and redo restore origins exactly.
//
// An edit that undoes the newest ones gives their lines the origins that they had before. Editors
// do not say "undo": it is an edit that restores the former text at the same place. It may undo
// several adjoining edits at once (typing), and edits at different lines in any order (multiple
// cursors). Redo works the same way.
//
// Bounded: at most 256 edits and about 1 MiB; the oldest are dropped first. Copies are cheap: they
// share the edits' contents. Offsets are bytes, lines start at 1. Thread contract: as for any
// value.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/support/units.h"
#include "server/documents/line_hash.h"

namespace gprof::lsp {

// The origins of the touched lines in one anchor (an earlier text).
struct TouchedOrigins {
  std::weak_ptr<const LineHashes> anchor;
  std::vector<LineNumber> before;  // 0 for none
  std::vector<LineNumber> after;
};

struct RecordedTexts {
  std::string before;
  std::string after;
};

// An applied edit, trimmed (text_edit.h): `texts` holds the replaced text and its replacement. The
// lines are those that it touched.
struct RecordedEdit {
  std::size_t offset = 0;
  LineNumber first_line = 0;
  std::size_t lines_before = 0;
  std::size_t lines_after = 0;
  std::shared_ptr<const RecordedTexts> texts;
  std::shared_ptr<const std::vector<TouchedOrigins>> origins;
};

// Origins to restore, for `count` lines from `first` on.
struct RestoredLines {
  LineNumber first = 0;
  std::size_t count = 0;
  std::size_t count_restored = 0;
  std::shared_ptr<const std::vector<TouchedOrigins>> origins;
  bool backwards = true;  // to `before`, else to `after`

  // Null if nothing is known for that anchor.
  [[nodiscard]] const std::vector<LineNumber>* of(
      const std::shared_ptr<const LineHashes>& anchor) const;
};

class EditHistory {
 public:
  // An edit of the present text, trimmed.
  struct Edit {
    std::size_t offset = 0;
    std::string_view removed;
    std::string_view inserted;
  };

  // If the edit undoes or redoes others: the origins to restore, in this order. Those edits then
  // count as undone (or redone).
  [[nodiscard]] std::optional<std::vector<RestoredLines>> take_back(const Edit& edit);
  // Any other edit.
  void record(RecordedEdit edit);
  void clear();

 private:
  struct Step {
    RecordedEdit edit;
    bool backwards = false;  // the reverse of `edit` was made
    // This many steps, ending with this one, cancelled each other out.
    std::size_t detour = 0;
  };
  using Steps = std::vector<Step>;
  class View;

  [[nodiscard]] static std::size_t count_grown_together(std::span<const Step> steps, bool reverse,
                                                        const Edit& edit);
  [[nodiscard]] static std::vector<std::size_t> steps_above(std::span<const Step> steps,
                                                            std::size_t index);
  [[nodiscard]] static std::optional<std::size_t> find_apart(std::span<const Step> steps,
                                                             bool reverse, const Edit& edit);
  [[nodiscard]] std::vector<RestoredLines> take(std::size_t end, bool reverse, const Edit& edit);
  static void move(Steps& from, Steps& to, std::size_t index, bool reverse);
  void keep_bounds();

  Steps made_;   // newest last
  Steps taken_;  // undone; the next to redo last
};

}  // namespace gprof::lsp
