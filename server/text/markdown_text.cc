#include "server/text/markdown_text.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace gprof::lsp {
namespace {

bool is_word_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

// A character and its neighbours; spaces before and after the line.
struct Around {
  std::string_view line;
  std::size_t at;

  [[nodiscard]] char letter() const { return line[at]; }
  [[nodiscard]] char before() const { return at == 0 ? ' ' : line[at - 1]; }
  [[nodiscard]] char after() const { return at + 1 < line.size() ? line[at + 1] : ' '; }
  [[nodiscard]] std::string_view rest() const { return line.substr(at + 1); }
  [[nodiscard]] bool is_in_word() const {
    return is_word_letter(before()) && is_word_letter(after());
  }
};

bool begins_tag(const Around& text) {
  const char next = text.after();
  return std::isalpha(static_cast<unsigned char>(next)) != 0 || next == '/' || next == '!' ||
         next == '?';
}

// Such as &lt; and &#35;
bool begins_entity(const Around& text) {
  const std::string_view rest = text.rest();
  const std::size_t end = rest.find(';');
  if (end == 0 || end == std::string_view::npos) return false;
  return std::ranges::all_of(rest.substr(0, end),
                             [](char c) { return is_word_letter(c) || c == '#'; });
}

// Whether a reader that links bare addresses would begin or continue one here.
bool is_in_address(const Around& text) {
  if (text.letter() == ':') return text.rest().starts_with("//");
  if (text.letter() == '@') return text.is_in_word();
  if (text.letter() != '.' || text.at < 3) return false;
  const std::string_view word = text.line.substr(text.at - 3, 3);
  return std::ranges::all_of(word, [](char c) { return c == 'w' || c == 'W'; });
}

// At the beginning of a line: a heading, a quotation, a list.
bool begins_block(const Around& text) {
  const std::string_view before = text.line.substr(0, text.at);
  switch (text.letter()) {
    case '#':
    case '>':
    case '-':
    case '+':
    case '=':
      return before.find_first_not_of(' ') == std::string_view::npos;
    case '.':
    case ')':
      return text.after() == ' ' && !before.empty() &&
             before.find_first_not_of("0123456789") == std::string_view::npos;
    default:
      return false;
  }
}

bool is_markup(const Around& text) {
  switch (text.letter()) {
    case '`':
    case '*':
    case '~':
    case '[':
    case ']':
      return true;
    case '\\':
      return text.at + 1 == text.line.size() ||
             std::ispunct(static_cast<unsigned char>(text.after())) != 0;
    case '_':
      return !text.is_in_word();
    case '<':
      return begins_tag(text);
    case '&':
      return begins_entity(text);
    default:
      return begins_block(text) || is_in_address(text);
  }
}

}  // namespace

std::string markdown_text(std::string_view line) {
  std::string written;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (is_markup({line, i})) written += '\\';
    written += line[i];
  }
  return written;
}

std::string markdown_name(std::string_view name) {
  std::string written = markdown_text(name);
  if (name.find_first_not_of(' ') == std::string_view::npos) return written;
  // A mark of emphasis is none beside a space.
  const bool ends_in_space = name.front() == ' ' || name.back() == ' ';
  if (written == name && !ends_in_space) return written;
  const std::string fence = markdown_fence(name, 1);
  // One space on each side is not part of the code.
  const bool is_padded =
      name.front() == '`' || name.back() == '`' || (name.front() == ' ' && name.back() == ' ');
  const std::string_view space = is_padded ? " " : "";
  written = fence;
  written.append(space).append(name).append(space).append(fence);
  return written;
}

// Readers of tables take the backslash away before they read code.
std::string markdown_cell(std::string_view written) {
  std::string cell;
  for (const char c : written) {
    if (c == '|') cell += '\\';
    cell += c;
  }
  return cell;
}

std::string markdown_fence(std::string_view text, std::size_t least) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(std::max(longest + 1, least), '`');
}

}  // namespace gprof::lsp
