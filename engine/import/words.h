// Words and numbers of texts that other tools wrote.
//
// Thread contract: pure functions. Views are of the text that was given.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gprof {

// Without blanks and tabs at either end.
[[nodiscard]] std::string_view trim(std::string_view text);

// The next word, which is taken from the text; empty where there is none.
[[nodiscard]] std::string_view take_word(std::string_view& text);

// All of the text as a number; none where it is something else, or too large.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text, int base = 10);

}  // namespace gprof
