// A slow and simple model of a text under edits, for tests: a list of lines, each with the numbers
// it had in earlier texts. It knows what each edit means, and so where each line is from without
// comparing any; the code under test only gets ranges and text.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "server/documents/document.h"

namespace gprof::lsp {

struct ReferenceLine {
  std::string text;
  std::string end;                   // the line's: "\n", "\r\n", "\r"; empty for the last line
  std::vector<LineNumber> partners;  // by origin; 0 for none
  bool touched = false;              // a rule decides its partner: it was split or joined
  bool loose = false;                // its partner is ambiguous: a block was replaced
};

using ReferenceLines = std::vector<ReferenceLine>;

// One edit, in bytes of the text before it.
struct ReferenceEdit {
  std::size_t offset = 0;
  std::string removed;
  std::string inserted;
};

class EditReference {
 public:
  EditReference(const std::string& text, PositionEncoding encoding);

  [[nodiscard]] const ReferenceLines& lines() const { return lines_; }
  [[nodiscard]] ReferenceLines& lines() { return lines_; }
  [[nodiscard]] std::string text() const;

  // Each makes one edit and returns it as the protocol has it. Lines count from 0 here.
  ContentChange insert_above(std::size_t line, const std::vector<std::string>& texts,
                             const std::string& end);
  ContentChange insert_below(std::size_t line, const std::vector<std::string>& texts,
                             const std::string& end);
  ContentChange erase_lines(std::size_t first, std::size_t behind);  // from column 0 to column 0
  ContentChange type(std::size_t line, std::size_t from, std::size_t to, const std::string& text);
  ContentChange split(std::size_t line, std::size_t column, const std::string& end,
                      const std::string& indent);
  ContentChange join(std::size_t line, std::size_t indent);
  // Replaces any range: where the lines in between are from is ambiguous.
  ContentChange replace(std::size_t from, std::size_t to, const std::string& text);
  // The same, sent as a full text.
  ContentChange replace_all(const std::string& text);

  // The latest of these.
  [[nodiscard]] const ReferenceEdit& last() const { return last_; }
  // The change that undoes an edit with its inserted text at the offset. Makes no edit.
  [[nodiscard]] ContentChange inverse(const ReferenceEdit& edit) const;
  void restore(ReferenceLines lines) { lines_ = std::move(lines); }
  // Byte columns where characters start, including the line's end.
  [[nodiscard]] std::vector<std::size_t> columns(std::size_t line) const;
  [[nodiscard]] std::size_t offset(std::size_t line, std::size_t column) const;

 private:
  [[nodiscard]] Position position(std::size_t offset) const;
  [[nodiscard]] ReferenceLine fresh(std::string text, std::string end) const;
  // An adjacent CR and LF end one line.
  void merge_line_ends();

  ContentChange done(std::size_t from, std::size_t to, std::string inserted);

  ReferenceLines lines_;
  ReferenceEdit last_;
  PositionEncoding encoding_;
};

// The lines of a text, the slow way.
[[nodiscard]] ReferenceLines reference_lines(const std::string& text);

}  // namespace gprof::lsp
