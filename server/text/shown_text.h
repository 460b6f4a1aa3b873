// Names of functions and files, sources, and messages that quote them come from untrusted files.
// Shown as they are, they could control a terminal, break a table's rows, or imitate other text.
// Unprintable characters are shown as '?': control characters (C0, DEL, C1), bidirectional marks,
// line separators, and invalid UTF-8.
//
// Other media add their own escaping: server/text/markup_writer (Markdown),
// server/export/csv_writer (spreadsheets).
//
// Thread contract: pure functions; a TerminalText belongs to one thread.
#pragma once

#include <string>
#include <string_view>

namespace gprof::lsp {

// For a message, a cell, a title: line breaks and tabs are shown as '?' as well.
[[nodiscard]] std::string on_one_line(std::string_view text);

// A text of many lines for a terminal, in pieces that may be cut anywhere. Line breaks,
// form feeds and tabs stay.
class TerminalText {
 public:
  // The piece, safe to show; an incomplete character is kept for the next call.
  [[nodiscard]] std::string take(std::string_view piece);
  // The rest of a character that was never completed.
  [[nodiscard]] std::string finish();

 private:
  std::string begun_;
};

// All of a text.
[[nodiscard]] std::string for_terminal(std::string_view text);

}  // namespace gprof::lsp
