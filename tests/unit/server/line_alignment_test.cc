#include "server/line_alignment.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

using namespace gprof::lsp;

namespace {

// One letter a line.
std::vector<std::string_view> lines(std::string_view letters) {
  std::vector<std::string_view> result;
  for (std::size_t i = 0; i < letters.size(); ++i) result.push_back(letters.substr(i, 1));
  return result;
}

// The letters that were aligned.
std::string common(std::string_view a, std::string_view b) {
  std::string result;
  for (const LinePair& pair : align_lines(lines(a), lines(b))) result += a[pair.a];
  return result;
}

}  // namespace

TEST_CASE("equal lines are aligned in order") {
  CHECK(common("", "").empty());
  CHECK(common("abc", "").empty());
  CHECK(common("abc", "abc") == "abc");
  CHECK(common("abc", "xbz") == "b");
  CHECK(common("abcdef", "abxdef") == "abdef");
  CHECK(common("abcd", "cdab").size() == 2);
  CHECK(common("xaaay", "zaaw") == "aa");  // no unique lines
  // Unique lines hold the rest together: the braces of f stay f's.
  CHECK(common("f{a}g{b}", "f{a}n{}g{b}") == "f{a}g{b}");
}

TEST_CASE("pairs are equal lines in increasing order, whatever the texts") {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::string a;
    std::string b;
    for (auto i = random() % 30; i > 0; --i) a += static_cast<char>('a' + random() % 8);
    for (auto i = random() % 30; i > 0; --i) b += static_cast<char>('a' + random() % 8);
    const auto pairs = align_lines(lines(a), lines(b));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      REQUIRE(a[pairs[i].a] == b[pairs[i].b]);
      if (i > 0) REQUIRE((pairs[i].a > pairs[i - 1].a && pairs[i].b > pairs[i - 1].b));
    }
  }
}

TEST_CASE("a large text without unique lines is given up rather than compared cell by cell") {
  std::string a = "x";
  std::string b = "y";
  for (int i = 0; i < 100'000; ++i) a += i % 2 ? 'p' : 'q', b += i % 3 ? 'p' : 'q';
  const auto pairs = align_lines(lines(a), lines(b));
  CHECK(pairs.size() <= 100'000);
}
