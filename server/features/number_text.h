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
// What times are measured in.
struct TimeUnit {
  double ticks_per_second = 0;
  char abbreviation = 's';
  bool seconds = true;  // so that parts of them have names of their own
};
// Seconds, or another unit's amount: with at most the two decimals of gprof's tables, and fewer
// where a tick is longer than that: "0.42 s". Where the error (0: none) is less than what these
// decimals show, in milliseconds and less, with two digits of the error: "3.0 ms".
[[nodiscard]] std::string amount(double seconds, double error, const TimeUnit& unit);
// What something is less than, rounded up: "0.03 s", "3 ms".
[[nodiscard]] std::string limit(double seconds, const TimeUnit& unit);

}  // namespace gprof::lsp
