#include "server/documents/position.h"

#include <algorithm>
#include <limits>

#include "server/text/utf8.h"

namespace gprof::lsp {
namespace {

std::size_t units_of(const Utf8Character& character, PositionEncoding encoding) {
  switch (encoding) {
    case PositionEncoding::utf8:
      return character.size;
    case PositionEncoding::utf16:
      return character.code_point > 0xFFFF ? 2 : 1;
    case PositionEncoding::utf32:
      break;
  }
  return 1;
}

// Numbers too large for the protocol are clamped.
std::uint32_t narrow(std::size_t number) {
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(number, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace

std::uint32_t character_at_byte(std::string_view line, std::size_t byte,
                                PositionEncoding encoding) {
  std::size_t units = 0;
  for (std::size_t i = 0; i < line.size();) {
    const Utf8Character character = utf8_character(line, i);
    if (i + character.size > byte) break;
    units += units_of(character, encoding);
    i += character.size;
  }
  return narrow(units);
}

std::size_t byte_at_character(std::string_view line, std::uint32_t character,
                              PositionEncoding encoding) {
  std::size_t units = 0;
  std::size_t i = 0;
  while (i < line.size()) {
    const Utf8Character next = utf8_character(line, i);
    units += units_of(next, encoding);
    if (units > character) break;
    i += next.size;
  }
  return i;
}

std::size_t offset_of(std::string_view text, const LineTable& lines, Position position,
                      PositionEncoding encoding) {
  if (position.line >= lines.line_count()) return text.size();
  const std::string_view line = lines.line(text, position.line);
  return lines.start(position.line) + byte_at_character(line, position.character, encoding);
}

Position position_of(std::string_view text, const LineTable& lines, std::size_t offset,
                     PositionEncoding encoding) {
  const std::size_t line = lines.line_at(std::min(offset, text.size()));
  const std::size_t byte = std::min(offset, text.size()) - lines.start(line);
  return {narrow(line), character_at_byte(lines.line(text, line), byte, encoding)};
}

}  // namespace gprof::lsp
