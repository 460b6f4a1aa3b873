#include "server/documents/text_edit.h"

#include <algorithm>

namespace gprof::lsp {

bool TextEdit::breaks_lines(std::string_view text) const {
  constexpr std::string_view line_ends = "\r\n";
  return inserted.find_first_of(line_ends) != std::string::npos ||
         text.substr(offset, removed).find_first_of(line_ends) != std::string_view::npos;
}

TextEdit trimmed(std::string_view text, const TextEdit& edit) {
  const std::string_view before = text.substr(edit.offset, edit.removed);
  const std::string_view after = edit.inserted;
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t prefix = 0;
  while (prefix < shorter && before[prefix] == after[prefix]) ++prefix;
  std::size_t suffix = 0;
  while (suffix < shorter - prefix &&
         before[before.size() - 1 - suffix] == after[after.size() - 1 - suffix]) {
    ++suffix;
  }
  return {edit.offset + prefix, before.size() - prefix - suffix,
          std::string(after.substr(prefix, after.size() - prefix - suffix))};
}

TextEdit with_whole_line_ends(std::string_view text, TextEdit edit) {
  const std::size_t end = edit.offset + edit.removed;
  const bool feed_behind = end < text.size() && text[end] == '\n';
  const bool return_before = edit.offset > 0 && text[edit.offset - 1] == '\r';
  const bool old_begins = edit.removed > 0 ? text[edit.offset] == '\n' : feed_behind;
  const bool new_begins = edit.inserted.empty() ? feed_behind : edit.inserted.front() == '\n';
  const bool old_ends = edit.removed > 0 ? text[end - 1] == '\r' : return_before;
  const bool new_ends = edit.inserted.empty() ? return_before : edit.inserted.back() == '\r';
  if (feed_behind && (old_ends || new_ends)) {
    edit.inserted += '\n';
    ++edit.removed;
  }
  if (return_before && (old_begins || new_begins)) {
    edit.inserted.insert(edit.inserted.begin(), '\r');
    --edit.offset;
    ++edit.removed;
  }
  return edit;
}

}  // namespace gprof::lsp
