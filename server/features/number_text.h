// Numbers as the editor shows them: exact where there is room, abbreviated where there is not,
// and never with more digits than the data has. Locale-independent.
//
// Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <string>

namespace gprof::lsp {

// 7208 -> "7,208".
[[nodiscard]] std::string exact_count(std::uint64_t count);
// "≈0.42 s"; what is only known to be less than something stays as it is.
[[nodiscard]] std::string estimated_text(std::string figure);
// 9999 -> "9,999", 26312 -> "26.3k", 1048576 -> "1.05M": three digits from 10,000 on.
[[nodiscard]] std::string short_count(std::uint64_t count);
// 0.333 -> "33 %", 0.0765 -> "7.7 %", 0.0004 -> "<0.1 %".
[[nodiscard]] std::string percent(double share);
// Seconds (or another unit's amount) as gprof prints them, with at most the two decimals of its
// tables and fewer where a tick is longer than that: "0.42 s".
[[nodiscard]] std::string amount(double seconds, double ticks_per_second, char abbreviation);

}  // namespace gprof::lsp
