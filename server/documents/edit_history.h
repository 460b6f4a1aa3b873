// The newest edits of a document, so that undo and redo align its lines with its origins exactly as
// before.
//
// An edit that undoes the newest ones gives their lines the partners that they had before. Editors
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

// The partners of the touched lines in one origin, 0 for none.
struct TouchedPartners {
  std::weak_ptr<const LineHashes> origin;  // its lines
  std::vector<LineNumber> before;
  std::vector<LineNumber> after;
};

// An applied edit, trimmed (text_edit.h), and the lines that it touched.
struct RecordedEdit {
  struct Content {
    std::string removed;
    std::string inserted;
    std::size_t lines_before = 0;
    std::size_t lines_after = 0;
    std::vector<TouchedPartners> partners;
  };
  std::size_t offset = 0;
  LineNumber first_line = 0;
  std::shared_ptr<const Content> content;
};

// An edit to undo (or redo): what the text holds `now`, and what it held `then`.
struct ReversedEdit {
  ReversedEdit(const RecordedEdit& edit, bool is_undone);

  // The lines' partners then; null if they are not known for the origin with these lines.
  [[nodiscard]] const std::vector<LineNumber>* partners_in(
      const std::shared_ptr<const LineHashes>& origin) const;
  // Where the lines are in the text between `other`, which is older, and this edit.
  [[nodiscard]] bool is_before_lines_of(const ReversedEdit& other) const {
    return first_line + lines_then <= other.first_line;
  }
  [[nodiscard]] bool is_after_lines_of(const ReversedEdit& other) const {
    return first_line >= other.first_line + other.lines_now;
  }

  std::size_t offset;
  LineNumber first_line;
  std::string_view now;
  std::string_view then;
  std::size_t lines_now;
  std::size_t lines_then;
  std::shared_ptr<const RecordedEdit::Content> content;
  bool undone;  // else redone
};

class EditHistory {
 public:
  // An edit of the present text, trimmed.
  struct Edit {
    std::size_t offset = 0;
    std::string_view removed;
    std::string_view inserted;
  };

  // The edits that this one undoes or redoes, in this order; empty if it does neither. They then
  // count as undone (or redone).
  [[nodiscard]] std::vector<ReversedEdit> take_back(const Edit& edit);
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

  [[nodiscard]] static ReversedEdit reversed(const Step& step, bool reverse) {
    return {step.edit, reverse != step.backwards};
  }
  [[nodiscard]] static std::size_t count_grown_together(std::span<const Step> steps, bool reverse,
                                                        const Edit& edit);
  [[nodiscard]] static std::vector<std::size_t> steps_above(std::span<const Step> steps,
                                                            std::size_t index);
  [[nodiscard]] static std::optional<std::size_t> find_apart(std::span<const Step> steps,
                                                             bool reverse, const Edit& edit);
  [[nodiscard]] std::vector<ReversedEdit> take(std::size_t end, bool reverse, const Edit& edit);
  static void move(Steps& from, Steps& to, std::size_t index, bool reverse);
  void keep_bounds();

  Steps made_;   // newest last
  Steps taken_;  // undone; the next to redo last
};

}  // namespace gprof::lsp
