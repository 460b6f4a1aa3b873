#include "server/text/shown_text.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "server/text/utf8.h"
#include "tests/support/hostile_text.h"
#include "tests/support/test_seed.h"

using namespace gprof;
using namespace gprof::lsp;

namespace {

// Whether each character of the text is printable or one of `may_stay`.
bool is_harmless(std::string_view text, std::string_view may_stay) {
  for (std::size_t i = 0; i < text.size();) {
    const Utf8Character character = utf8_character(text, i);
    const std::uint32_t letter = character.code_point;
    const bool stays = letter < 0x80 && may_stay.find(static_cast<char>(letter)) != may_stay.npos;
    const bool control = letter < 0x20 || (letter >= 0x7f && letter <= 0x9f);
    const bool turns = letter == 0x61c || letter == 0x200e || letter == 0x200f ||
                       (letter >= 0x2028 && letter <= 0x202e) ||
                       (letter >= 0x2066 && letter <= 0x2069);
    if (!character.valid || turns || (control && !stays)) return false;
    i += character.size;
  }
  return true;
}

}  // namespace

TEST_CASE("what does not print is shown as a question mark") {
  CHECK(on_one_line("plain ×±… 名 é") == "plain ×±… 名 é");
  CHECK(on_one_line("a\x1b[31mb") == "a?[31mb");
  CHECK(on_one_line("a\nb\tc\rd\x7f") == "a?b?c?d?");
  CHECK(on_one_line("a\xc2\x9b"
                    "31m") == "a?31m");
  CHECK(on_one_line("a\x9b"
                    "b\xff") == "a?b?");
  CHECK(on_one_line("a\xe2\x80\xae"
                    "b\xe2\x81\xa6"
                    "c") == "a?b?c");
  CHECK(on_one_line("a\xe2\x80\xa8"
                    "b") == "a?b");
  CHECK(on_one_line(std::string_view("a\0b", 3)) == "a?b");
  CHECK(on_one_line("").empty());
}

TEST_CASE("lines, columns and pages of a text stay on a terminal") {
  CHECK(for_terminal("a\tb\r\nc\n\f\nd") == "a\tb\r\nc\n\f\nd");
  CHECK(for_terminal("forged\rtext") == "forged?text");
  CHECK(for_terminal("a\x1b]8;;https://a\x07"
                     "b") == "a?]8;;https://a?b");
}

TEST_CASE("property: a text that is shown is harmless, and nothing else is changed") {
  std::mt19937 random(test_seed(20261123));
  for (int i = 0; i < 2000; ++i) {
    const std::string text = test::hostile_text(random);
    CAPTURE(i, text);
    CHECK(is_harmless(on_one_line(text), ""));
    CHECK(is_harmless(for_terminal(text), "\n\t\f\r"));
    const std::string good = test::harmless_text(random);
    CHECK(on_one_line(good) == good);
    CHECK(for_terminal(good) == good);
  }
}

TEST_CASE("property: pieces of a text are shown as the whole of it") {
  std::mt19937 random(test_seed(7));
  for (int i = 0; i < 2000; ++i) {
    const std::string text = test::hostile_text(random) + test::harmless_text(random);
    TerminalText shown;
    std::string pieces;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = std::uniform_int_distribution<std::size_t>(0, 5)(random);
      pieces += shown.take(std::string_view(text).substr(at, size));
      at += size;
    }
    pieces += shown.finish();
    CAPTURE(i, text);
    CHECK(pieces == for_terminal(text));
  }
}
