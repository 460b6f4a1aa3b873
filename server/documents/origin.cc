#include "server/documents/origin.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gprof::lsp {
namespace {

// Longer stretches are only compared as a whole.
constexpr std::size_t longest_search = 1 << 16;

// Lines that are not aligned, and those of the earlier text that are missing in their place.
struct Gap {
  LineNumber here = 0;
  std::size_t here_count = 0;
  LineNumber there = 0;
  std::size_t there_count = 0;
};

// Those that contain one of the lines and are not empty on either side.
std::vector<Gap> gaps_with(const LineAlignment& alignment, std::span<const LineSpan> lines,
                           std::size_t here_count, std::size_t there_count) {
  std::vector<Gap> gaps;
  AlignedLines before{0, 0, 1};
  auto line = lines.begin();
  const auto look = [&](const AlignedLines& after) {
    const LineNumber here = before.here + before.count;
    const LineNumber there = before.there + before.count;
    before = after;
    while (line != lines.end() && line->last < here) ++line;
    if (here >= after.here || there >= after.there) return;
    if (line == lines.end() || line->first >= after.here) return;
    gaps.push_back({here, after.here - here, there, after.there - there});
  };
  for (const AlignedLines& same : alignment.stretches()) look(same);
  look({static_cast<LineNumber>(here_count + 1), static_cast<LineNumber>(there_count + 1), 0});
  return gaps;
}

// A closing brace or an empty line is like any other of its kind.
bool holds_word(std::string_view line) {
  return std::any_of(line.begin(), line.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80; });
}

class GapSearch {
 public:
  GapSearch(const Gap& gap, const PresentText& present, std::span<const LineHash> earlier,
            std::span<const LineSpan> fresh)
      : gap_(gap),
        present_(present),
        here_(present.hashes.subspan(gap.here - 1, gap.here_count)),
        there_(earlier.subspan(gap.there - 1, gap.there_count)),
        is_fresh_(gap.here_count, false),
        found_(gap.here_count, 0) {
    const auto end = static_cast<LineNumber>(gap.here + gap.here_count);
    for (const LineSpan& lines : fresh) {
      for (LineNumber i = std::max(lines.first, gap.here); i <= lines.last && i < end; ++i) {
        is_fresh_[i - gap.here] = true;
      }
    }
  }

  // For each line of the gap its partner, 0 for none.
  std::vector<LineNumber> run() {
    if (equal_stretch(0, here_.size(), 0, there_.size())) return found_;
    if (here_.size() + there_.size() > longest_search) return found_;
    find_unique();
    compare_between();
    return found_;
  }

 private:
  bool equal_stretch(std::size_t here, std::size_t here_end, std::size_t there,
                     std::size_t there_end) {
    if (here_end - here != there_end - there) return false;
    const auto mine = here_.subspan(here, here_end - here);
    if (!std::equal(mine.begin(), mine.end(), there_.subspan(there).begin())) return false;
    // A line that was here before the other was deleted is not that one.
    const auto is_fresh = is_fresh_.begin();
    if (std::find(is_fresh + static_cast<std::ptrdiff_t>(here),
                  is_fresh + static_cast<std::ptrdiff_t>(here_end),
                  false) != is_fresh + static_cast<std::ptrdiff_t>(here_end)) {
      return false;
    }
    for (; here < here_end; ++here, ++there) {
      found_[here] = gap_.there + static_cast<LineNumber>(there);
    }
    return true;
  }

  void find_unique() {
    struct Occurrences {
      std::size_t here = 0;
      std::size_t there = 0;
      std::size_t place = 0;
    };
    std::unordered_map<LineHash, Occurrences> lines;
    for (std::size_t i = 0; i < here_.size(); ++i) {
      if (is_fresh_[i]) lines[here_[i]] = {};
    }
    if (lines.empty()) return;
    const auto count = [&](std::span<const LineHash> side, std::size_t Occurrences::*member) {
      for (std::size_t i = 0; i < side.size(); ++i) {
        const auto line = lines.find(side[i]);
        if (line == lines.end()) continue;
        ++(line->second.*member);
        if (member == &Occurrences::there) line->second.place = i;
      }
    };
    count(here_, &Occurrences::here);
    count(there_, &Occurrences::there);
    for (std::size_t i = 0; i < here_.size(); ++i) {
      if (!is_fresh_[i]) continue;
      const Occurrences& line = lines[here_[i]];
      if (line.here != 1 || line.there != 1) continue;
      if (!holds_word(present_.lines.line(present_.text, gap_.here - 1 + i))) continue;
      found_[i] = gap_.there + static_cast<LineNumber>(line.place);
    }
    drop_crossing();
  }

  // Lines that came back in a different order: it is unknown which were moved.
  void drop_crossing() {
    std::vector<LineNumber> greatest_before(found_.size(), 0);
    for (std::size_t i = 1; i < found_.size(); ++i) {
      greatest_before[i] = std::max(greatest_before[i - 1], found_[i - 1]);
    }
    LineNumber least_after = gap_.there + static_cast<LineNumber>(gap_.there_count);
    for (std::size_t i = found_.size(); i-- > 0;) {
      const LineNumber partner = found_[i];
      if (partner == 0) continue;
      if (partner < greatest_before[i] || partner > least_after) found_[i] = 0;
      least_after = std::min(least_after, partner);
    }
  }

  // All lines between two that are back may be back as well.
  void compare_between() {
    std::size_t here = 0;
    std::size_t there = 0;
    for (std::size_t i = 0; i <= found_.size(); ++i) {
      if (i < found_.size() && found_[i] == 0) continue;
      const std::size_t there_end = i < found_.size() ? found_[i] - gap_.there : there_.size();
      if (here < i) equal_stretch(here, i, there, there_end);
      here = i + 1;
      there = there_end + 1;
    }
  }

  const Gap& gap_;
  const PresentText& present_;
  std::span<const LineHash> here_;
  std::span<const LineHash> there_;
  std::vector<bool> is_fresh_;
  std::vector<LineNumber> found_;
};

}  // namespace

void Origin::restore_deleted(const PresentText& present, std::span<const LineSpan> fresh) {
  for (const Gap& gap : gaps_with(alignment_, fresh, present.hashes.size(), lines_->size())) {
    const auto found = GapSearch(gap, present, *lines_, fresh).run();
    alignment_.replace(gap.here, gap.here_count, found);
  }
}

bool Origin::recognize(std::span<const LineHash> present, LineSpan touched) {
  if (present.size() != lines_->size()) return false;
  // The touched lines first: during typing, they differ.
  const auto first = static_cast<std::ptrdiff_t>(touched.first) - 1;
  if (!std::equal(present.begin() + first, present.begin() + touched.last,
                  lines_->begin() + first) ||
      !std::equal(present.begin(), present.end(), lines_->begin())) {
    return false;
  }
  LineAlignment identity = LineAlignment::identity(lines_->size());
  if (alignment_ == identity) return false;
  alignment_ = std::move(identity);
  return true;
}

}  // namespace gprof::lsp
