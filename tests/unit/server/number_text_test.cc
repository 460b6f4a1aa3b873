#include "server/features/number_text.h"

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
  CHECK(amount(0.42, 100, 's') == "0.42 s");
  CHECK(amount(0.42, 1000, 's') == "0.42 s");
  CHECK(amount(0.4, 10, 's') == "0.4 s");
  CHECK(amount(17, 1, 'm') == "17 m");
}

TEST_CASE("an estimate is marked, a limit is none") {
  CHECK(estimated_text("0.42 s") == "≈0.42 s");
  CHECK(estimated_text("< 1 sample") == "< 1 sample");
}
