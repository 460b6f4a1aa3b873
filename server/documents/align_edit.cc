#include "server/documents/align_edit.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "server/documents/align_lines.h"

namespace gprof::lsp {
namespace {

class EditAlignment {
 public:
  explicit EditAlignment(const TouchedLines& lines)
      : lines_(lines),
        partners_(lines.after.size(), 0),
        first_open_(0, 0),
        end_open_(lines.before.size(), lines.after.size()) {}

  LineAlignment run() {
    decide();
    LineAlignment result;
    result.replace(1, 0, partners_);
    return result;
  }

 private:
  struct Place {
    Place(std::size_t b, std::size_t a) : before(b), after(a) {}
    std::size_t before;
    std::size_t after;
  };

  void decide() {
    if (lines_.before.size() == 1 && lines_.after.size() == 1) {
      take_first();
      return;
    }
    keep_whole_lines();
    if (is_doubled()) return;
    keep_equal_ends();
    align_inserted();
    keep_changed_ends();
  }

  [[nodiscard]] bool first_is_open() const {
    return first_open_.before == 0 && first_open_.after == 0 && end_open_.before > 0 &&
           end_open_.after > 0;
  }
  [[nodiscard]] bool last_is_open() const {
    return end_open_.before == lines_.before.size() && end_open_.after == lines_.after.size() &&
           end_open_.before > first_open_.before && end_open_.after > first_open_.after;
  }
  void take_first() {
    partners_.front() = 1;
    first_open_ = {1, 1};
  }
  void take_last() {
    partners_.back() = last_before();
    end_open_ = {lines_.before.size() - 1, lines_.after.size() - 1};
  }

  // Inserting or deleting whole lines does not affect their neighbours. An empty line could be
  // either neighbour: text inserted there moves it down.
  void keep_whole_lines() {
    if (lines_.suffix_was_line && lines_.suffix_is_line) take_last();
    if (lines_.prefix_was_line && lines_.prefix_is_line && first_is_open()) take_first();
  }

  // One line became two equal ones, each with a part of it: either could be the old one.
  [[nodiscard]] bool is_doubled() const {
    return first_is_open() && last_is_open() && lines_.before.size() == 1 &&
           lines_.prefix_has_text && lines_.suffix_has_text &&
           lines_.after.front() == lines_.before.front() &&
           lines_.after.back() == lines_.before.front();
  }

  void keep_equal_ends() {
    if (first_is_open() && lines_.prefix_has_text &&
        lines_.after.front() == lines_.before.front()) {
      take_first();
    }
    if (last_is_open() && lines_.suffix_has_text && lines_.after.back() == lines_.before.back()) {
      take_last();
    }
  }

  // Only entirely new lines: a line that contains kept text is the line of that text.
  void align_inserted() {
    Place first = first_open_;
    Place end = end_open_;
    if (first.after == 0 && lines_.prefix_has_text) ++first.after;
    if (end.after == lines_.after.size() && lines_.suffix_has_text) --end.after;
    if (first.after >= end.after || first.before >= end.before) return;
    const auto same =
        align_sure_lines(lines_.before.subspan(first.before, end.before - first.before),
                         lines_.after.subspan(first.after, end.after - first.after));
    for (std::size_t line = first.after; line < end.after; ++line) {
      const auto partner = same.there(static_cast<LineNumber>(line - first.after + 1));
      if (partner) partners_[line] = static_cast<LineNumber>(first.before) + *partner;
    }
  }

  [[nodiscard]] LineNumber last_before() const {
    return static_cast<LineNumber>(lines_.before.size());
  }
  [[nodiscard]] bool is_free(LineNumber before) const {
    return std::find(partners_.begin(), partners_.end(), before) == partners_.end();
  }

  void keep_changed_ends() {
    if (lines_.prefix_has_text && partners_.front() == 0 && is_free(1)) partners_.front() = 1;
    if (lines_.suffix_has_text && partners_.back() == 0 && is_free(last_before())) {
      partners_.back() = last_before();
    }
  }

  const TouchedLines& lines_;
  std::vector<LineNumber> partners_;  // of the lines after the edit; from 1, 0 for none
  Place first_open_;                  // lines before these have been decided
  Place end_open_;                    // and from these on
};

}  // namespace

LineAlignment align_edit(const TouchedLines& lines) { return EditAlignment(lines).run(); }

}  // namespace gprof::lsp
