#include "server/text/number_text.h"

#include <array>
#include <limits>

#include <catch2/catch.hpp>

using namespace gprof::lsp;

TEST_CASE("counts are exact below 10,000 and have three digits from there on") {
  CHECK(short_count(0) == "0");
  CHECK(short_count(7208) == "7,208");
  CHECK(short_count(9999) == "9,999");
  CHECK(short_count(10'000) == "10.0k");
  CHECK(short_count(26'312) == "26.3k");
  CHECK(short_count(999'499) == "999k");
  CHECK(short_count(999'999) == "1.00M");
  CHECK(short_count(1'048'576) == "1.05M");
  CHECK(short_count(std::numeric_limits<std::uint64_t>::max()) == "18.4E");
  CHECK(exact_count(1'234'567) == "1,234,567");
  CHECK(exact_count(123) == "123");
}

TEST_CASE("shares have two digits, and nothing is not a little") {
  CHECK(percent(0.333) == "33 %");
  CHECK(percent(0.0766) == "7.7 %");
  CHECK(percent(0.0999) == "10 %");
  CHECK(percent(0.0004) == "<0.1 %");
  CHECK(percent(0) == "0 %");
  CHECK(percent(1) == "100 %");
}

TEST_CASE("amounts have the decimals of a tick, two at the most") {
  CHECK(amount(0.42, 0.065, {100}) == "0.42 s");
  CHECK(amount(0.42, 0.02, {1000}) == "0.42 s");
  CHECK(amount(0.4, 0.2, {10}) == "0.4 s");
  CHECK(amount(17, 0, {1, "m", false}) == "17 m");
  CHECK(amount(0.003, 0, {1000}) == "0.00 s");
}

TEST_CASE("amounts are in the unit in which their error can be read") {
  CHECK(amount(0.01, 0.01, {100}) == "0.01 s");
  CHECK(amount(0.003, 0.0017, {1000}) == "3.0 ms");
  CHECK(amount(0.0017, 0.0017, {1000}) == "1.7 ms");
  CHECK(amount(0.03, 0.0055, {1000}) == "30.0 ms");
  CHECK(amount(0.1, 0.01, {1000}) == "0.10 s");
  CHECK(amount(0.0004, 0.0002, {25'000}) == "0.40 ms");
  CHECK(amount(3e-6, 2e-6, {1e6}) == "3.0 µs");
  CHECK(amount(3, 1.7, {1, "#", false}) == "3 #");
}

TEST_CASE("the figures of a sentence share the unit of the finest error") {
  const TimeUnit unit = common_unit({1000}, std::array{0.0, 0.0068, 0.017});
  CHECK(amount(0.046, 0.0068, unit) == "46.0 ms");
  CHECK(amount(0.3, 0.017, unit) == "300 ms");
  CHECK(error_text(0.017, unit) == "17 ms");
  CHECK(amount(0.3, 0.017, common_unit({1000}, std::array{0.01, 0.017})) == "0.30 s");
  CHECK(amount(17, 3, common_unit({1, "m", false}, std::array{0.001})) == "17 m");
}

TEST_CASE("limits are rounded up") {
  CHECK(limit(0.03, {100}) == "0.03 s");
  CHECK(limit(0.0301, {100}) == "0.04 s");
  CHECK(limit(0.3, {10}) == "0.3 s");
  CHECK(limit(0.003, {1000}) == "3 ms");
  CHECK(limit(0.00361, {1000}) == "3.7 ms");
  CHECK(limit(3, {1, "#", false}) == "3 #");
}

TEST_CASE("whole amounts of other units are short where there is little room") {
  CHECK(short_amount(26'345, 0, {1, "instructions", false}) == "26.3k instructions");
  CHECK(short_amount(2.5, 0, {100, "m", false}) == "2.50 m");
  CHECK(short_amount(26'345, 0, {100}) == "26345.00 s");
  CHECK(short_amount(1e300, 0, {1, "x", false}) == "10.0E x");
  CHECK(short_amount(-1, 0, {1, "x", false}) == "0 x");
}

TEST_CASE("an error has the digits of its amount") {
  CHECK(error_text(0.056, {100}) == "0.06 s");
  CHECK(error_text(0.0017, {1000}) == "1.7 ms");
  CHECK(error_text(4, {1, "samples", false}) == "4 samples");
  CHECK(error_text(0, {100}).empty());
  CHECK(error_text(0.04, {10}).empty());  // less than the last digit
}

TEST_CASE("an estimate is marked, a limit is none") {
  CHECK(estimated_text("0.42 s") == "≈0.42 s");
  CHECK(estimated_text("< 0.03 s") == "< 0.03 s");
}
