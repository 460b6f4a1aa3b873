#include "server/documents/line_alignment.h"

#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/test_seed.h"

using namespace gprof;
using namespace gprof::lsp;

namespace {

LineAlignment aligned(const std::vector<LineNumber>& partners) {
  LineAlignment alignment;
  alignment.replace(1, 0, partners);
  return alignment;
}

}  // namespace

TEST_CASE("consecutive lines are one stretch, whatever they were added by") {
  LineAlignment alignment = aligned({1, 2, 0, 4, 5});
  CHECK(alignment.stretches().size() == 2);
  alignment.replace(3, 1, std::vector<LineNumber>{3});
  CHECK(alignment == LineAlignment::identity(5));
  CHECK(LineAlignment::identity(0) == LineAlignment());
}

TEST_CASE("replaced lines move what follows, and keep the order") {
  LineAlignment alignment = LineAlignment::identity(5);
  alignment.replace(2, 2, std::vector<LineNumber>{0, 1, 3, 4});
  CHECK(alignment.partners(1, 8) == std::vector<LineNumber>{1, 0, 0, 3, 0, 4, 5, 0});
  CHECK(alignment.here(5) == 7);
}

TEST_CASE("one alignment after the other is a look-up in both") {
  std::mt19937 random(test_seed(11));
  const auto some = [&] {
    std::vector<LineNumber> partners;
    LineNumber next = 0;
    for (auto count = random() % 12; count > 0; --count) {
      next += random() % 4 == 0 ? 2 : 1;
      partners.push_back(random() % 4 == 0 ? 0 : next);
    }
    return aligned(partners);
  };
  for (int round = 0; round < 500; ++round) {
    const LineAlignment first = some();
    const LineAlignment second = some();
    const LineAlignment both = first.then(second);
    for (LineNumber line = 0; line < 25; ++line) {
      CAPTURE(round, line);
      const auto middle = first.there(line);
      REQUIRE(both.there(line) == (middle ? second.there(*middle) : std::nullopt));
      const auto middle_back = second.here(line);
      REQUIRE(both.here(line) == (middle_back ? first.here(*middle_back) : std::nullopt));
    }
  }
}
