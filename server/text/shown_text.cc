#include "server/text/shown_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "server/text/utf8.h"

namespace gprof::lsp {
namespace {

constexpr char stand_in = '?';
constexpr std::size_t longest_character = 4;

bool turns_direction(std::uint32_t letter) {
  return letter == 0x061C || letter == 0x200E || letter == 0x200F ||
         (letter >= 0x202A && letter <= 0x202E) || (letter >= 0x2066 && letter <= 0x2069);
}

bool prints(const Utf8Character& character) {
  const std::uint32_t letter = character.code_point;
  const bool is_control = letter < 0x20 || (letter >= 0x7F && letter < 0xA0);
  const bool separates_lines = letter == 0x2028 || letter == 0x2029;
  return character.valid && !is_control && !separates_lines && !turns_direction(letter);
}

// How much of the text's end may begin a longer character or a line ending.
std::size_t unfinished_end(std::string_view text) {
  if (text.ends_with('\r')) return 1;
  for (std::size_t size = 1; size < longest_character && size <= text.size(); ++size) {
    const auto byte = static_cast<unsigned char>(text[text.size() - size]);
    if (byte < 0x80) return 0;
    if (byte < 0xC0) continue;
    const std::size_t whole = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    return size < whole ? size : 0;
  }
  return 0;
}

template <typename MayStay>
std::string shown(std::string_view text, MayStay may_stay) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Character character = utf8_character(text, i);
    if (prints(character) || may_stay(i)) {
      result.append(text, i, character.size);
    } else {
      result += stand_in;
    }
    i += character.size;
  }
  return result;
}

std::string terminal_lines(std::string_view text) {
  return shown(text, [&](std::size_t i) {
    if (text[i] == '\r') return i + 1 < text.size() && text[i + 1] == '\n';
    return text[i] == '\n' || text[i] == '\t' || text[i] == '\f';
  });
}

}  // namespace

std::string on_one_line(std::string_view text) {
  return shown(text, [](std::size_t) { return false; });
}

std::string TerminalText::take(std::string_view piece) {
  std::string text = std::exchange(begun_, {});
  text += piece;
  begun_ = text.substr(text.size() - unfinished_end(text));
  return terminal_lines(std::string_view(text).substr(0, text.size() - begun_.size()));
}

std::string TerminalText::finish() { return terminal_lines(std::exchange(begun_, {})); }

std::string for_terminal(std::string_view text) { return terminal_lines(text); }

}  // namespace gprof::lsp
