// Text and names as they are written in Markdown, so that a reader that renders it shows exactly
// them, and one that does not shows as little else as possible: a backslash stands only where the
// next character would be markup there (CommonMark 0.31, and the tables and addresses of GitHub's).
//
// Both take one line. Thread contract: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace gprof::lsp {

// Words, in a paragraph or a cell of a table, behind other text or at its beginning.
[[nodiscard]] std::string markdown_text(std::string_view line);

// A name: the words themselves if nothing in them is markup, otherwise code.
[[nodiscard]] std::string markdown_name(std::string_view name);

// Between two bars of a table. `written` is Markdown.
[[nodiscard]] std::string markdown_cell(std::string_view written);

// More backquotes than stand anywhere in the text in a row, but at least so many.
[[nodiscard]] std::string markdown_fence(std::string_view text, std::size_t least);

}  // namespace gprof::lsp
