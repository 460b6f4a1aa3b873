// Numbers as the editor shows them: exact if there is room, abbreviated if not, and never with more
// digits than the data has. Locale-independent.
//
// Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace gprof::lsp {

// 7208 -> "7,208".
[[nodiscard]] std::string exact_count(std::uint64_t count);
// "≈0.42 s"; upper bounds ("< 0.03 s") stay as they are.
[[nodiscard]] std::string estimated_text(std::string figure);
// 9999 -> "9,999", 26312 -> "26.3k", 1048576 -> "1.05M": three digits from 10,000 on.
[[nodiscard]] std::string short_count(std::uint64_t count);
// 0.333 -> "33 %", 0.0765 -> "7.7 %", 0.0004 -> "<0.1 %".
[[nodiscard]] std::string percent(double share);
// The unit of times.
struct TimeUnit {
  double ticks_per_second = 0;
  std::string abbreviation = "s";
  bool seconds = true;  // so that smaller units have names
  // One of those names for all figures; empty: each figure's error chooses.
  std::string smaller = {};
  double smaller_per_second = 0;
};
// Of a profile's ticks. The abbreviation may be any byte of a file: only letters are shown.
[[nodiscard]] TimeUnit time_unit(double ticks_per_second, std::string_view dimension,
                                 char abbreviation);
// The same for several figures of one sentence: that of the finest error. Errors of 0 do not count.
[[nodiscard]] TimeUnit common_unit(TimeUnit unit, std::span<const double> errors);
// Seconds, or an amount of another unit, with at most the two decimals of gprof's tables, and fewer
// if a tick is longer than that: "0.42 s". If the error (0: none) is smaller than these decimals
// show, in milliseconds or less, with two digits of the error: "3.0 ms".
[[nodiscard]] std::string amount(double seconds, double error, const TimeUnit& unit);
// The same for narrow places: whole amounts of other units than the second as short counts, "26.3k
// instructions".
[[nodiscard]] std::string short_amount(double seconds, double error, const TimeUnit& unit);
// An error in the digits of its amount; empty if there is none, or less than the last digit.
[[nodiscard]] std::string error_text(double error, const TimeUnit& unit);
// An upper bound, rounded up: "0.03 s", "3 ms".
[[nodiscard]] std::string limit(double seconds, const TimeUnit& unit);

}  // namespace gprof::lsp
