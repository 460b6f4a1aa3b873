// Names of functions and files, sources and messages that quote them come from files that others
// made. Shown as they are, they could steer a terminal, break a table's rows, or look like other
// text. What does not print is shown as '?': control characters (C0, DEL, C1), the marks that turn
// the direction of writing, separators of lines, and bytes that are no UTF-8.
//
// The other media add what is theirs: server/features/markup_writer (Markdown),
// server/export/csv_writer (spreadsheets).
//
// Thread contract: pure functions; a TerminalText belongs to one thread.
#pragma once

#include <string>
#include <string_view>

namespace gprof::lsp {

// For a message, a cell, a title: line breaks and tabs are shown as '?' as well.
[[nodiscard]] std::string on_one_line(std::string_view text);

// A text of many lines on its way to a terminal, in pieces that may be cut anywhere. Line breaks,
// form feeds and tabs stay.
class TerminalText {
 public:
  // The piece as it may be shown; a character that is not whole yet is kept for the next one.
  [[nodiscard]] std::string take(std::string_view piece);
  // What is left of a character that never became whole.
  [[nodiscard]] std::string finish();

 private:
  std::string begun_;
};

// All of a text.
[[nodiscard]] std::string for_terminal(std::string_view text);

}  // namespace gprof::lsp
