// Texts that a malicious program might use to name its functions and files.
//
// Thread contract: pure functions, except for the generator passed in.
#pragma once

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>

namespace gprof::test {

template <std::size_t count>
[[nodiscard]] std::string text_of_parts(const std::array<std::string_view, count>& parts,
                                        std::mt19937& random) {
  std::uniform_int_distribution<std::size_t> part(0, count - 1);
  std::string text;
  for (auto left = std::uniform_int_distribution<int>(0, 12)(random); left > 0; --left) {
    text += parts[part(random)];
  }
  return text;
}

// Printable letters and punctuation.
[[nodiscard]] inline std::string harmless_text(std::mt19937& random) {
  static constexpr std::array<std::string_view, 12> parts = {
      "main", " ", "operator()", "é",  "名", "±", "\xf0\x9f\x94\xa5", "std::vector<int>",
      "_",    "~", "\"",         "a.b"};
  return text_of_parts(parts, random);
}

// Text that is interpreted somewhere: escapes and controls (C0, DEL, C1 of one and two bytes),
// direction marks, line breaks, NUL, invalid UTF-8, and the syntax of Markdown, HTML, spreadsheets
// and status lines.
[[nodiscard]] inline std::string hostile_text(std::mt19937& random) {
  using namespace std::string_view_literals;
  static constexpr std::array<std::string_view, 48> parts = {"a"sv,
                                                             "b c"sv,
                                                             "main"sv,
                                                             "é"sv,
                                                             "名"sv,
                                                             "`"sv,
                                                             "``"sv,
                                                             "```"sv,
                                                             "\n"sv,
                                                             "\r"sv,
                                                             "\r\n"sv,
                                                             "\t"sv,
                                                             "\f"sv,
                                                             "\0"sv,
                                                             "\x1b[31m"sv,
                                                             "\x1b]8;;https://e.example\x07"sv,
                                                             "\x7f"sv,
                                                             "\x9b"sv,
                                                             "\xc2\x9b"sv,
                                                             "\xc2\x85"sv,
                                                             "\xff"sv,
                                                             "\xc3"sv,
                                                             "\xe2\x80"sv,
                                                             "\xed\xa0\x80"sv,
                                                             "\xe2\x80\xae"sv,
                                                             "\xe2\x81\xa6"sv,
                                                             "\xe2\x80\x8f"sv,
                                                             "\xd8\x9c"sv,
                                                             "\xe2\x80\xa8"sv,
                                                             "|"sv,
                                                             "<img src=x>"sv,
                                                             "<"sv,
                                                             ">"sv,
                                                             "["sv,
                                                             "](https://e.example)"sv,
                                                             "!"sv,
                                                             "![](https://e.example/p.png)"sv,
                                                             "\\"sv,
                                                             "https://e.example"sv,
                                                             "www.e.example"sv,
                                                             "a@e.example"sv,
                                                             "&lt;"sv,
                                                             "*"sv,
                                                             "="sv,
                                                             "+"sv,
                                                             "-"sv,
                                                             "@"sv,
                                                             "%{system('x')}"sv};
  return text_of_parts(parts, random);
}

}  // namespace gprof::test
