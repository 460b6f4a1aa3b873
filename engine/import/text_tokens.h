// Words and numbers in texts written by other tools.
//
// Thread contract: pure functions. Views are of the given text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gprof {

// Without leading and trailing blanks and tabs.
[[nodiscard]] std::string_view trim(std::string_view text);

// Removes the next word from the text and returns it; empty if there is none.
[[nodiscard]] std::string_view take_word(std::string_view& text);

// The whole text as a number; none if it is anything else, or too large.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text, int base = 10);

}  // namespace gprof
