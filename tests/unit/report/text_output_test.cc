#include "engine/report/text_output.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "tests/support/test_seed.h"
#include "tests/unit/report/written_text.h"

using namespace gprof;

namespace {

std::string fixed(double number, unsigned decimals, std::size_t width) {
  return written_text([&](TextOutput& text) { text.append_fixed(number, decimals, width); });
}

std::string printed(double number, unsigned decimals, std::size_t width) {
  std::array<char, 512> shown;
  const int size = std::snprintf(shown.data(), shown.size(), "%*.*f", static_cast<int>(width),
                                 static_cast<int>(decimals), number);
  return {shown.data(), static_cast<std::size_t>(size)};
}

}  // namespace

TEST_CASE("text output: fixed numbers have the digits of printf") {
  for (const double number : {0.0,
                              -0.0,
                              0.004,
                              0.005,
                              0.015,
                              0.025,
                              0.045,
                              0.125,
                              0.375,
                              0.995,
                              0.9949999999,
                              1.005,
                              2.5,
                              9.95,
                              9.949,
                              99.995,
                              1234567.895,
                              9999999.994,
                              9999999.995,
                              1e9 / 3,
                              12345678901.125,
                              1e15,
                              1e300,
                              -3.14159,
                              std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::denorm_min()}) {
    for (const unsigned decimals : {1U, 2U}) {
      CHECK(fixed(number, decimals, 7) == printed(number, decimals, 7));
    }
  }
  CHECK(fixed(-std::numeric_limits<double>::quiet_NaN(), 2, 7) == "   -nan");
}

TEST_CASE("text output: fixed numbers of all sizes have the digits of printf") {
  std::mt19937_64 random(test_seed(3));
  std::uniform_real_distribution<double> exponent(-9, 12);
  for (int i = 0; i < 200'000; ++i) {
    double number = std::pow(10.0, exponent(random));
    // Multiples of an eighth and of a hundredth are on the boundaries and next to them.
    if (i % 3 == 0) number = static_cast<double>(random() % 10'000'000) / 8;
    if (i % 3 == 1) number = static_cast<double>(random() % 10'000'000) / 1000;
    const unsigned decimals = i % 2 == 0 ? 1 : 2;
    if (fixed(number, decimals, 8) != printed(number, decimals, 8)) {
      FAIL(fmt::format("{:a}: {} instead of {}", number, fixed(number, decimals, 8),
                       printed(number, decimals, 8)));
    }
  }
}

TEST_CASE("text output: whole numbers are padded on either side and never cut") {
  const auto columns = [](std::uint64_t number) {
    return written_text([&](TextOutput& text) {
      text.append_right(number, 7);
      text += '/';
      text.append_left(number, 7);
      text += '|';
    });
  };
  CHECK(columns(0) == "      0/0      |");
  CHECK(columns(12) == "     12/12     |");
  CHECK(columns(1234567) == "1234567/1234567|");
  CHECK(columns(12345678) == "12345678/12345678|");
  CHECK(columns(~std::uint64_t{0}) == "18446744073709551615/18446744073709551615|");
}

TEST_CASE("text output: what is larger than the buffer comes in pieces") {
  constexpr std::size_t size = 300'001;
  std::string whole;
  std::size_t pieces = 0;
  TextOutput text([&](std::string_view piece) {
    whole += piece;
    ++pieces;
    return true;
  });
  CHECK(text.empty());
  text += "begin";
  CHECK_FALSE(text.empty());
  text += std::string(size, 'x');
  text.append(size, ' ');
  text += 'e';
  text.flush();
  CHECK_FALSE(text.empty());
  CHECK(whole == "begin" + std::string(size, 'x') + std::string(size, ' ') + "e");
  CHECK(pieces > 2);
}

TEST_CASE("text output: a sink that wants no more gets no more") {
  int pieces = 0;
  TextOutput text([&](std::string_view) { return ++pieces < 2; });
  for (int i = 0; i < 10; ++i) {
    text += "piece";
    text.flush();
    CHECK(text.stopped() == (i >= 1));
  }
  CHECK(pieces == 2);
}

// An empty view may point nowhere, and no byte may be copied from there.
TEST_CASE("text output: a view of nothing adds nothing") {
  CHECK(written_text([](TextOutput& text) {
          text += std::string_view();
          text += "a";
          text += std::string_view();
        }) == "a");
}
