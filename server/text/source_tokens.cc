#include "server/text/source_tokens.h"

#include <array>
#include <optional>

namespace gprof::lsp {
namespace {

// The standard allows delimiters of sixteen characters at most.
constexpr std::size_t longest_delimiter = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool continues_name(char c) { return begins_name(c) || is_digit(c); }

std::optional<std::uint32_t> digit_of(char c, std::uint32_t base) {
  std::uint32_t value = base;
  if (is_digit(c)) value = static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') value = static_cast<std::uint32_t>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') value = static_cast<std::uint32_t>(c - 'A') + 10;
  return value < base ? std::optional(value) : std::nullopt;
}

char simple_escape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    default:  // a quote, a backslash, a question mark; compilers pass others through as well
      return c;
  }
}

void append_code_point(std::string& text, std::uint32_t code) {
  const auto append = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    append(code);
  } else if (code < 0x800) {
    append(0xC0 | code >> 6);
    append(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    append(0xE0 | code >> 12);
    append(0x80 | (code >> 6 & 0x3F));
    append(0x80 | (code & 0x3F));
  } else {
    append(0xF0 | (code >> 18 & 0x07));
    append(0x80 | (code >> 12 & 0x3F));
    append(0x80 | (code >> 6 & 0x3F));
    append(0x80 | (code & 0x3F));
  }
}

struct LiteralPrefix {
  std::string_view letters;
  bool is_raw;
};
constexpr std::array<LiteralPrefix, 9> literal_prefixes = {{{"u8", false},
                                                            {"u", false},
                                                            {"U", false},
                                                            {"L", false},
                                                            {"R", true},
                                                            {"u8R", true},
                                                            {"uR", true},
                                                            {"UR", true},
                                                            {"LR", true}}};

const LiteralPrefix* prefix_named(std::string_view name) {
  for (const LiteralPrefix& prefix : literal_prefixes) {
    if (prefix.letters == name) return &prefix;
  }
  return nullptr;
}

}  // namespace

std::size_t SourceTokens::splice_at(std::size_t at) const {
  if (at + 1 >= text_.size() || text_[at] != '\\') return 0;
  if (text_[at + 1] == '\n') return 2;
  return text_[at + 1] == '\r' && at + 2 < text_.size() && text_[at + 2] == '\n' ? 3 : 0;
}

std::size_t SourceTokens::skip_splices(std::size_t at) const {
  while (const std::size_t size = splice_at(at)) at += size;
  return at;
}

char SourceTokens::peek(std::size_t ahead) const {
  std::size_t at = skip_splices(at_);
  for (; ahead > 0 && at < text_.size(); --ahead) at = skip_splices(at + 1);
  return at < text_.size() ? text_[at] : '\0';
}

char SourceTokens::take() {
  at_ = skip_splices(at_);
  return at_ < text_.size() ? text_[at_++] : '\0';
}

void SourceTokens::skip_line() {
  while (!at_end() && peek() != '\n') take();
}

void SourceTokens::skip_block_comment() {
  take();
  take();
  while (!at_end()) {
    if (take() == '*' && peek() == '/') {
      take();
      return;
    }
  }
}

bool SourceTokens::skip_blanks() {
  while (!at_end()) {
    const char c = peek();
    if (c == '\n') {
      at_line_start_ = true;
      take();
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      take();
    } else if (c == '/' && peek(1) == '*') {
      skip_block_comment();
    } else if ((c == '/' && peek(1) == '/') || (c == '#' && at_line_start_)) {
      // A block comment that begins in a directive is skipped up to the end of that line. Its other
      // lines are read as code; a test macro in them does no harm, since no program has that test.
      skip_line();
    } else {
      at_ = skip_splices(at_);
      return true;
    }
  }
  at_ = text_.size();
  return false;
}

SourceToken SourceTokens::next() {
  SourceToken token;
  const bool is_there = skip_blanks();
  token.begin = token.end = at_;
  if (!is_there) return token;
  at_line_start_ = false;
  token.kind = SourceToken::Kind::other;
  const char c = peek();
  if (begins_name(c)) {
    read_name(token);
  } else if (is_digit(c)) {
    read_number();
  } else if (c == '"') {
    read_literal(token);
  } else if (c == '\'') {
    read_literal(token);
    token.kind = SourceToken::Kind::other;
    token.value.clear();
  } else {
    token.value = take();
  }
  token.end = at_;
  return token;
}

void SourceTokens::read_name(SourceToken& token) {
  token.kind = SourceToken::Kind::name;
  while (!at_end() && continues_name(peek())) token.value += take();
  const char quote = at_end() ? '\0' : peek();
  if (quote != '"' && quote != '\'') return;
  const LiteralPrefix* prefix = prefix_named(token.value);
  if (prefix == nullptr) return;
  token.value.clear();
  if (prefix->is_raw && quote == '"') return read_raw_literal(token);
  read_literal(token);
  if (quote == '\'') {
    token.kind = SourceToken::Kind::other;
    token.value.clear();
  }
}

// The quotes between its digits belong to it.
void SourceTokens::read_number() {
  while (!at_end()) {
    const char c = peek();
    const bool is_separator = c == '\'' && continues_name(peek(1));
    if (!continues_name(c) && c != '.' && !is_separator) return;
    take();
  }
}

void SourceTokens::read_literal(SourceToken& token) {
  token.kind = SourceToken::Kind::text;
  const char quote = take();
  while (!at_end() && peek() != '\n') {
    const char c = take();
    if (c == quote) return;
    if (c == '\\') {
      read_escape(token.value);
    } else {
      token.value += c;
    }
  }
  token.is_complete = false;
}

void SourceTokens::read_escape(std::string& value) {
  if (at_end() || peek() == '\n') return;
  const char c = peek();
  const bool is_octal = digit_of(c, 8).has_value();
  const bool is_unicode = c == 'u' || c == 'U';
  if (!is_octal && c != 'x' && !is_unicode) {
    value += simple_escape(take());
    return;
  }
  if (!is_octal) take();
  const std::uint32_t base = is_octal ? 8 : 16;
  const std::size_t longest = is_octal ? 3 : c == 'u' ? 4 : c == 'U' ? 8 : std::size_t{64};
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < longest && !at_end(); ++i) {
    const auto digit = digit_of(peek(), base);
    if (!digit) break;
    code = code * base + *digit;
    take();
  }
  if (is_unicode) {
    append_code_point(value, code);
  } else {
    value += static_cast<char>(code);
  }
}

// R"mark( … )mark", where no backslash means anything.
void SourceTokens::read_raw_literal(SourceToken& token) {
  token.kind = SourceToken::Kind::text;
  token.is_complete = false;
  at_ = skip_splices(at_) + 1;
  const std::size_t delimiter_size = text_.substr(at_, longest_delimiter + 1).find('(');
  if (delimiter_size == std::string_view::npos) return;
  const std::size_t open = at_ + delimiter_size;
  const std::string closing = ')' + std::string(text_.substr(at_, delimiter_size)) + '"';
  const std::size_t close = text_.find(closing, open + 1);
  if (close == std::string_view::npos) {
    at_ = text_.size();
    return;
  }
  token.value = std::string(text_.substr(open + 1, close - open - 1));
  token.is_complete = true;
  at_ = close + closing.size();
}

}  // namespace gprof::lsp
