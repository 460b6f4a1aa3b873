// Reads C and C++ as a sequence of tokens: names, literals and marks. Comments and directives are
// skipped, and lines that a backslash continues are joined, except in raw strings.
//
// Cost: linear in the text, however damaged it is: a literal that is not closed ends with its line.
// Thread contract: one thread a reader; it borrows the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gprof::lsp {

struct SourceToken {
  enum class Kind : std::uint8_t { end, name, text, other };

  Kind kind = Kind::end;
  // A name; the contents of a string literal, with escapes replaced, in UTF-8; else the one mark.
  // Empty for numbers and character literals.
  std::string value;
  bool is_complete = true;  // false for a string literal that is not closed
  // Offsets in bytes of its first byte, and of the byte after its last.
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] bool is(char mark) const {
    return kind == Kind::other && value.size() == 1 && value.front() == mark;
  }
};

class SourceTokens {
 public:
  explicit SourceTokens(std::string_view text) : text_(text) {}

  // The next token; at the end of the text, one of the kind `end`, again and again.
  [[nodiscard]] SourceToken next();

 private:
  // The size of a splice (a backslash with the line end after it, which is not compiled); 0 if
  // there is none.
  [[nodiscard]] std::size_t splice_at(std::size_t at) const;
  [[nodiscard]] std::size_t skip_splices(std::size_t at) const;
  // The byte at the place where reading goes on, or `ahead` bytes after it; 0 at the end.
  [[nodiscard]] char peek(std::size_t ahead = 0) const;
  char take();
  [[nodiscard]] bool at_end() const { return skip_splices(at_) >= text_.size(); }

  // Up to the next token; returns whether there is one.
  bool skip_blanks();
  void skip_line();
  void skip_block_comment();
  void read_name(SourceToken& token);
  void read_number();
  void read_literal(SourceToken& token);
  void read_escape(std::string& value);
  void read_raw_literal(SourceToken& token);

  std::string_view text_;
  std::size_t at_ = 0;
  bool at_line_start_ = true;  // only blanks come before on this line
};

}  // namespace gprof::lsp
