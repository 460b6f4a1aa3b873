#include "server/documents/align_lines.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/test_seed.h"

using namespace gprof::lsp;

namespace {

// One letter per line.
LineHashes lines(std::string_view letters) {
  LineHashes result;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    result.push_back(hash_line(letters.substr(i, 1)));
  }
  return result;
}

// Indexes of the same line in both texts.
struct Pair {
  std::size_t before = 0;
  std::size_t after = 0;
};

std::vector<Pair> pairs_of(const LineAlignment& alignment) {
  std::vector<Pair> pairs;
  for (const AlignedLines& same : alignment.stretches()) {
    for (std::size_t i = 0; i < same.count; ++i) {
      pairs.push_back({same.there - 1 + i, same.here - 1 + i});
    }
  }
  return pairs;
}

// The aligned letters.
std::string common(std::string_view a, std::string_view b) {
  std::string result;
  for (const Pair& pair : pairs_of(align_lines(lines(a), lines(b)))) result += a[pair.before];
  return result;
}

// Pairs of indexes, each followed by a blank.
std::string sure(std::string_view a, std::string_view b) {
  std::string result;
  for (const Pair& pair : pairs_of(align_sure_lines(lines(a), lines(b)))) {
    result += std::to_string(pair.before) + std::to_string(pair.after) + ' ';
  }
  return result;
}

// "a>b" for each changed line, followed by a blank.
std::string changed(std::string_view a, std::string_view b) {
  std::string result;
  for (const Pair& pair : pairs_of(align_changed_lines(lines(a), lines(b)))) {
    const char was = a[pair.before];
    const char is = b[pair.after];
    if (was != is) result += {was, '>', is, ' '};
  }
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
  // Unique lines hold the rest together: the braces of f remain f's.
  CHECK(common("f{a}g{b}", "f{a}n{}g{b}") == "f{a}g{b}");
}

TEST_CASE("pairs are equal lines in increasing order, whatever the texts") {
  std::mt19937 random(gprof::test_seed(3));
  for (int round = 0; round < 500; ++round) {
    std::string a;
    std::string b;
    for (auto i = random() % 30; i > 0; --i) a += static_cast<char>('a' + random() % 8);
    for (auto i = random() % 30; i > 0; --i) b += static_cast<char>('a' + random() % 8);
    const auto pairs = pairs_of(align_lines(lines(a), lines(b)));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      REQUIRE(a[pairs[i].before] == b[pairs[i].after]);
      if (i == 0) continue;
      REQUIRE(pairs[i].before > pairs[i - 1].before);
      REQUIRE(pairs[i].after > pairs[i - 1].after);
    }
  }
}

TEST_CASE("a large text without unique lines is given up rather than compared cell by cell") {
  std::string a = "x";
  std::string b = "y";
  for (int i = 0; i < 100'000; ++i) a += i % 2 ? 'p' : 'q', b += i % 3 ? 'p' : 'q';
  CHECK(common(a, b).size() <= 100'000);
}

TEST_CASE("where it cannot be told which of several equal lines is meant, none is") {
  CHECK(sure("xx", "x").empty());
  CHECK(sure("x", "xx").empty());
  CHECK(sure("axxb", "axb") == "00 32 ");
  CHECK(sure("axxb", "axxb") == "00 11 22 33 ");
  CHECK(sure("abc", "axbc") == "00 12 23 ");
}

TEST_CASE("lines between sure pairs are changed ones where there are as many on both sides") {
  CHECK(changed("abc", "axc") == "b>x ");
  CHECK(changed("abcdefg", "abxyefg") == "c>x d>y ");
  CHECK(changed("abc", "axyc").empty());
  CHECK(changed("abcde", "axbce").empty());
  CHECK(changed("abcd", "acbd").empty());      // moved, not changed
  CHECK(changed("abcdef", "uvwxyf").empty());  // more is new than was kept
}

TEST_CASE("hashes of lines are what they were when they were first written to disks") {
  CHECK(hash_line("") == 0xEFD01F60BA992926);
  CHECK(hash_line("return 0;") == 0xF338FD33E2B5FDFF);
  const std::string text = "a\r\nb\n\rc";
  CHECK(hash_lines(text, LineTable(text)) ==
        LineHashes{hash_line("a"), hash_line("b"), hash_line(""), hash_line("c")});
}
