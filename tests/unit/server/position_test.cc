#include "server/documents/position.h"

#include <string>

#include <catch2/catch.hpp>

#include "server/text/utf8.h"

using namespace gprof::lsp;

namespace {

// a, e with acute (2 bytes), euro sign (3 bytes), a smiley (4 bytes, 2 UTF-16 units), z.
const std::string line = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
constexpr auto utf8 = PositionEncoding::utf8;
constexpr auto utf16 = PositionEncoding::utf16;
constexpr auto utf32 = PositionEncoding::utf32;

}  // namespace

TEST_CASE("bytes to characters") {
  CHECK(character_at_byte(line, 10, utf8) == 10);
  CHECK(character_at_byte(line, 10, utf16) == 5);
  CHECK(character_at_byte(line, 10, utf32) == 4);
  CHECK(character_at_byte(line, 999, utf16) == 6);
  // Inside a character: its start.
  CHECK(character_at_byte(line, 2, utf16) == 1);
  CHECK(character_at_byte(line, 8, utf16) == 3);
}

TEST_CASE("characters to bytes, and back") {
  CHECK(byte_at_character(line, 5, utf16) == 10);
  CHECK(byte_at_character(line, 4, utf32) == 10);
  CHECK(byte_at_character(line, 999, utf32) == line.size());
  // The second half of a surrogate pair, and a byte inside a character: its start.
  CHECK(byte_at_character(line, 4, utf16) == 6);
  CHECK(byte_at_character(line, 2, utf8) == 1);
  for (const auto encoding : {utf8, utf16, utf32}) {
    for (const std::size_t byte : {0, 1, 3, 6, 10, 11}) {
      CHECK(byte_at_character(line, character_at_byte(line, byte, encoding), encoding) == byte);
    }
  }
}

TEST_CASE("bytes that are no UTF-8 count as one character each") {
  const std::string damaged = "x\xFF\xC3(\xED\xA0\x80\xF0\x9F";
  CHECK(character_at_byte(damaged, damaged.size(), utf16) == damaged.size());
  CHECK(character_at_byte(damaged, damaged.size(), utf32) == damaged.size());
  for (const std::string bad : {"\xC0\x80", "\xE0\x80\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80"}) {
    CHECK_FALSE(utf8_character(bad, 0).valid);
    CHECK(utf8_character(bad, 0).size == 1);
  }
  CHECK(utf8_character("\xF4\x8F\xBF\xBF", 0).code_point == 0x10FFFF);
}

TEST_CASE("offsets of a text are clamped to it") {
  const std::string text = "one\r\ntwo\rthree";
  const LineTable lines(text);
  CHECK(offset_of(text, lines, {0, 99}, utf16) == 3);
  CHECK(offset_of(text, lines, {1, 1}, utf16) == 6);
  CHECK(offset_of(text, lines, {2, 5}, utf16) == text.size());
  CHECK(offset_of(text, lines, {9, 0}, utf16) == text.size());
  CHECK(position_of(text, lines, 6, utf16) == Position{1, 1});
  CHECK(position_of(text, lines, 999, utf16) == Position{2, 5});
  // Between CR and LF: the end of the line.
  CHECK(position_of(text, lines, 4, utf16) == Position{0, 3});
}
