// Stepping through UTF-8 that may be damaged.
//
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gprof::lsp {

struct Utf8Character {
  std::size_t size = 1;  // bytes, at least 1
  bool valid = false;
  std::uint32_t code_point = 0xFFFD;
};

// The character at `offset`. A byte that begins no well-formed sequence (RFC 3629: no overlong
// form, no surrogate, nothing past U+10FFFF) is an invalid character of its own. Precondition:
// offset < text.size().
[[nodiscard]] inline Utf8Character utf8_character(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const std::uint32_t lead = byte(offset);
  if (lead < 0x80) return {1, true, lead};
  std::size_t size = 0;
  std::uint32_t code_point = 0;
  std::uint32_t least = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    size = 2, code_point = lead & 0x1F, least = 0x80;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    size = 3, code_point = lead & 0x0F, least = 0x800;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    size = 4, code_point = lead & 0x07, least = 0x10000;
  } else {
    return {};
  }
  if (text.size() - offset < size) return {};
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(offset + i) & 0xC0) != 0x80) return {};
    code_point = code_point << 6 | (byte(offset + i) & 0x3F);
  }
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < least || code_point > 0x10FFFF || surrogate) return {};
  return {size, true, code_point};
}

// The text with every invalid character replaced by U+FFFD.
[[nodiscard]] inline std::string well_formed(std::string text) {
  std::string result;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Character character = utf8_character(text, i);
    if (!character.valid) {
      result.append(text, copied, i - copied).append("\xEF\xBF\xBD");
      copied = i + character.size;
    }
    i += character.size;
  }
  if (copied == 0) return text;
  return result.append(text, copied);
}

}  // namespace gprof::lsp
