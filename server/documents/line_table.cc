#include "server/documents/line_table.h"

#include <algorithm>
#include <cstring>

namespace gprof::lsp {
namespace {

// A CR followed by an LF does not end the line; the LF does.
bool ends_line(std::string_view text, std::size_t i) {
  const bool lone_return = text[i] == '\r' && (i + 1 >= text.size() || text[i + 1] != '\n');
  return text[i] == '\n' || lone_return;
}

// Appends the starts of the lines that follow the line ends in [from, to), even if the LF of one is
// at `to`.
void append_starts(std::string_view text, std::size_t from, std::size_t to,
                   std::vector<std::size_t>& starts) {
  for (std::size_t i = from; i < to; ++i) {
    if (ends_line(text, i)) starts.push_back(i + 1);
  }
}

}  // namespace

std::size_t LineTable::count_lines(std::string_view text) {
  std::size_t lines = 1;
  for (std::size_t i = 0; i < text.size(); ++i) lines += ends_line(text, i) ? 1 : 0;
  return lines;
}

LineTable::LineTable(std::string_view text) {
  // Growing would take twice the memory, for as long as the text is open.
  starts_.reserve(count_lines(text));
  append_starts(text, 0, text.size(), starts_);
}

std::string_view LineTable::line(std::string_view text, std::size_t line) const {
  if (line >= starts_.size()) return {};
  const std::size_t begin = starts_[line];
  std::size_t end = line + 1 < starts_.size() ? starts_[line + 1] : text.size();
  if (line + 1 < starts_.size()) {
    --end;
    if (text[end] == '\n' && end > begin && text[end - 1] == '\r') --end;
  }
  return text.substr(begin, end - begin);
}

std::size_t LineTable::line_at(std::size_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  return static_cast<std::size_t>(after - starts_.begin()) - 1;
}

void LineTable::replace(std::string_view text, std::size_t offset, std::size_t removed,
                        std::size_t inserted) {
  // Starts up to the edit stay, except for one right after a CR at the edit's edge: an LF may have
  // been added or removed after that CR. So scanning begins one byte early.
  const std::size_t scan_from = offset == 0 ? 0 : offset - 1;
  // An LF right after the edit may have lost or gained its CR, so scanning ends one byte late.
  const std::size_t scan_to = std::min(offset + inserted + 1, text.size());
  const auto first = std::upper_bound(starts_.begin(), starts_.end(), scan_from);
  // The starts that the scanned bytes of the old text produced: up to one past its last one.
  const auto last = std::upper_bound(first, starts_.end(), offset + removed + 1);
  std::vector<std::size_t> fresh;
  append_starts(text, scan_from, scan_to, fresh);
  for (auto start = last; start != starts_.end(); ++start) *start = *start - removed + inserted;
  const auto place = starts_.erase(first, last);
  starts_.insert(place, fresh.begin(), fresh.end());
}

}  // namespace gprof::lsp
