#include "server/documents/match_edited_lines.h"

#include <algorithm>

#include "server/documents/line_alignment.h"

namespace gprof::lsp {
namespace {

class Inheritance {
 public:
  explicit Inheritance(const TouchedLines& lines)
      : lines_(lines),
        heirs_(lines.after.size(), no_heir),
        first_open_(0, 0),
        end_open_(lines.before.size(), lines.after.size()) {}

  std::vector<std::size_t> decide() {
    if (lines_.before.size() == 1 && lines_.after.size() == 1) return {0};
    keep_whole_lines();
    if (is_doubled()) return heirs_;
    keep_equal_ends();
    align_inserted();
    keep_changed_ends();
    return heirs_;
  }

 private:
  struct Place {
    Place(std::size_t b, std::size_t a) : before(b), after(a) {}
    std::size_t before;
    std::size_t after;
  };

  [[nodiscard]] bool first_is_open() const {
    return first_open_.before == 0 && first_open_.after == 0 && end_open_.before > 0 &&
           end_open_.after > 0;
  }
  [[nodiscard]] bool last_is_open() const {
    return end_open_.before == lines_.before.size() && end_open_.after == lines_.after.size() &&
           end_open_.before > first_open_.before && end_open_.after > first_open_.after;
  }
  void take_first() {
    heirs_.front() = 0;
    first_open_ = {1, 1};
  }
  void take_last() {
    heirs_.back() = lines_.before.size() - 1;
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
    const auto pairs =
        align_sure_lines(lines_.before.subspan(first.before, end.before - first.before),
                         lines_.after.subspan(first.after, end.after - first.after));
    for (const LinePair& pair : pairs) heirs_[first.after + pair.b] = first.before + pair.a;
  }

  [[nodiscard]] bool is_taken(std::size_t before) const {
    return std::find(heirs_.begin(), heirs_.end(), before) != heirs_.end();
  }

  void keep_changed_ends() {
    const std::size_t last = lines_.before.size() - 1;
    if (lines_.prefix_has_text && heirs_.front() == no_heir && !is_taken(0)) heirs_.front() = 0;
    if (lines_.suffix_has_text && heirs_.back() == no_heir && !is_taken(last)) heirs_.back() = last;
  }

  const TouchedLines& lines_;
  std::vector<std::size_t> heirs_;
  Place first_open_;  // lines before these have been decided
  Place end_open_;    // and from these on
};

}  // namespace

std::vector<std::size_t> inherit_lines(const TouchedLines& lines) {
  return Inheritance(lines).decide();
}

std::vector<std::size_t> inherit_text(std::span<const LineHash> before,
                                      std::span<const LineHash> after) {
  std::vector<std::size_t> heirs(after.size(), no_heir);
  for (const LinePair& pair : with_changed_lines(align_sure_lines(before, after), before, after)) {
    heirs[pair.b] = pair.a;
  }
  return heirs;
}

}  // namespace gprof::lsp
