// Text as Markdown or as plain text, whichever the client supports. Names and messages may contain
// anything: they are shown as text, on one line, and never become a link, a picture, a tag or the
// end of a table row.
//
// Thread contract: one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/text/markup_kind.h"

namespace gprof::lsp {

class MarkupWriter {
 public:
  explicit MarkupWriter(MarkupKind kind) : kind_(kind) {}

  void title(std::string_view text);
  // A name, as code of the language that an editor calls so, which may colour it.
  void code_title(std::string_view code, std::string_view language);
  void paragraph(std::string_view text);
  // Made of pieces returned by link(), and words that are no markup.
  void composed_paragraph(std::string_view text);
  // Composed as a paragraph is.
  void footnote(std::string_view text);
  // Cells are returned by link(), or are words that are no markup; all columns but the first are
  // numbers. Columns are aligned as an editor shows them that conceals the targets of links.
  void table(const std::vector<std::string>& header,
             const std::vector<std::vector<std::string>>& rows);
  // A name; without a target, the name alone.
  [[nodiscard]] std::string link(std::string_view text, std::string_view target) const;
  [[nodiscard]] std::string take();

 private:
  [[nodiscard]] std::string escape(std::string_view text) const;

  MarkupKind kind_;
  std::string text_;
};

}  // namespace gprof::lsp
