#include "server/line_provenance.h"

#include <algorithm>
#include <iterator>

#include "server/line_alignment.h"

namespace gprof::lsp {
namespace {

std::vector<std::string_view> lines_of(TextLines text, std::size_t first, std::size_t count) {
  std::vector<std::string_view> result;
  result.reserve(count);
  for (std::size_t i = 0; i < count; ++i) result.push_back(text.lines.line(text.text, first + i));
  return result;
}

// Hands origins on from lines to the lines that replace them: equal lines first; between those the
// others in order, since the one has become the other.
std::vector<LineNumber> inherit(const std::vector<std::string_view>& before,
                                const std::vector<LineNumber>& origins,
                                const std::vector<std::string_view>& after) {
  std::vector<LineNumber> result(after.size(), 0);
  std::vector<LinePair> pairs = align_lines(before, after);
  pairs.push_back({before.size(), after.size()});
  LinePair gap;
  for (const LinePair& pair : pairs) {
    while (gap.a < pair.a && gap.b < pair.b) result[gap.b++] = origins[gap.a++];
    if (pair.b < after.size()) result[pair.b] = origins[pair.a];
    gap = {pair.a + 1, pair.b + 1};
  }
  return result;
}

}  // namespace

std::optional<LineNumber> LineProvenance::original_line(LineNumber current) const {
  const std::size_t count = origins_.empty() ? original_->lines.line_count() : origins_.size();
  if (current == 0 || current > count) return std::nullopt;
  if (origins_.empty()) return current;
  const LineNumber origin = origins_[current - 1];
  return origin == 0 ? std::nullopt : std::optional(origin);
}

std::optional<LineNumber> LineProvenance::current_line(LineNumber original) const {
  if (original == 0 || original > original_->lines.line_count()) return std::nullopt;
  if (current_.empty()) return original;
  const LineNumber line = current_[original - 1];
  return line == 0 ? std::nullopt : std::optional(line);
}

void LineProvenance::replace(const std::vector<std::string_view>& before, std::size_t count_before,
                             const std::vector<std::string_view>& after, std::size_t first) {
  std::vector<LineNumber> inherited(before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    inherited[i] = origins_.empty() ? static_cast<LineNumber>(first + i + 1) : origins_[first + i];
  }
  const std::vector<LineNumber> fresh = inherit(before, inherited, after);
  if (fresh == inherited) return;  // typing within lines moves none
  if (origins_.empty()) {
    origins_.resize(count_before);
    for (std::size_t i = 0; i < count_before; ++i) origins_[i] = static_cast<LineNumber>(i + 1);
  }
  const auto begin = origins_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto place = origins_.erase(begin, begin + static_cast<std::ptrdiff_t>(before.size()));
  origins_.insert(place, fresh.begin(), fresh.end());
}

// Lines without an original that stand where originals are missing may be those: compare them.
void LineProvenance::restore_deleted(TextLines text) {
  const auto original_count = static_cast<LineNumber>(original_->lines.line_count());
  const TextLines original{original_->text, original_->lines};
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < origins_.size(); begin = end + 1) {
    end = begin;
    while (end < origins_.size() && origins_[end] == 0) ++end;
    const LineNumber low = begin == 0 ? 1 : origins_[begin - 1] + 1;
    const LineNumber high = end == origins_.size() ? original_count + 1 : origins_[end];
    if (begin == end || low >= high) continue;
    for (const LinePair& pair :
         align_lines(lines_of(text, begin, end - begin), lines_of(original, low - 1, high - low))) {
      origins_[begin + pair.a] = static_cast<LineNumber>(low + pair.b);
    }
  }
}

void LineProvenance::finish_edits(TextLines text) {
  current_.clear();
  if (origins_.empty()) return;
  restore_deleted(text);
  current_.assign(original_->lines.line_count(), 0);
  bool identity = origins_.size() == current_.size();
  for (std::size_t i = 0; i < origins_.size(); ++i) {
    identity = identity && origins_[i] == i + 1;
    if (origins_[i] != 0) current_[origins_[i] - 1] = static_cast<LineNumber>(i + 1);
  }
  if (identity) {
    origins_.clear();
    current_.clear();
  }
}

}  // namespace gprof::lsp
