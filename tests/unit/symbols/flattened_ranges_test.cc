// Rows and nested functions, flattened to one answer per address.
#include <catch2/catch.hpp>

#include "engine/symbols/innermost_ranges.h"
#include "engine/symbols/row_ranges.h"

using namespace gprof;

namespace {

AddressRange range(std::uint64_t low, std::uint64_t high) { return {Address{low}, Address{high}}; }

LineRow row(std::uint64_t address, LineNumber line) {
  LineRow result;
  result.address = Address{address};
  result.line = line;
  result.end_of_sequence = line == 0;
  return result;
}

// The index assigned to each address below `end`; -1 for none.
std::vector<int> by_address(const std::vector<NamedRange>& ranges, std::uint64_t end) {
  std::vector<int> result(end, -1);
  Address done;
  for (const NamedRange& part : ranges) {
    REQUIRE(part.range.low >= done);
    done = part.range.high;
    for (auto at = part.range.low.value; at < part.range.high.value; ++at) {
      result.at(at) = static_cast<int>(part.index);
    }
  }
  return result;
}

std::vector<LineNumber> lines_by_address(const std::vector<LineRow>& rows, std::uint64_t end) {
  std::vector<LineNumber> result(end, 0);
  Address done;
  for (const RowRange& part : row_ranges(rows)) {
    REQUIRE(part.range.low >= done);
    done = part.range.high;
    for (auto at = part.range.low.value; at < part.range.high.value; ++at) {
      result.at(at) = part.row->line;
    }
  }
  return result;
}

}  // namespace

TEST_CASE("innermost ranges: the shortest wins, then the last") {
  CHECK(by_address(innermost_ranges({{range(0, 8), 0}, {range(2, 6), 1}, {range(4, 6), 2}}), 9) ==
        std::vector<int>{0, 0, 1, 1, 2, 2, 0, 0, -1});
  CHECK(by_address(innermost_ranges({{range(1, 3), 7}, {range(1, 3), 8}}), 4) ==
        std::vector<int>{-1, 8, 8, -1});
  // Ranges that overlap without nesting.
  CHECK(by_address(innermost_ranges({{range(0, 4), 0}, {range(2, 5), 1}, {range(7, 7), 2}}), 8) ==
        std::vector<int>{0, 0, 1, 1, 1, -1, -1, -1});
  CHECK(innermost_ranges({}).empty());
}

TEST_CASE("innermost ranges: as if asked for each address") {
  std::uint32_t state = 1;
  const auto next = [&](std::uint32_t bound) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8) % bound;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<NamedRange> ranges;
    for (std::uint32_t i = 0; i < 12; ++i) {
      const std::uint32_t low = next(40);
      ranges.push_back({range(low, low + next(20)), i});
    }
    std::vector<int> expected(64, -1);
    for (std::uint64_t at = 0; at < 64; ++at) {
      std::uint64_t best = ~std::uint64_t{0};
      for (const NamedRange& candidate : ranges) {
        if (!candidate.range.contains(Address{at}) || candidate.range.size() > best) continue;
        best = candidate.range.size();
        expected[at] = static_cast<int>(candidate.index);
      }
    }
    REQUIRE(by_address(innermost_ranges(ranges), 64) == expected);
  }
}

TEST_CASE("row ranges: the last row at an address, and sequences that overlap") {
  CHECK(lines_by_address({row(1, 10), row(3, 11), row(3, 12), row(5, 0)}, 6) ==
        std::vector<LineNumber>{0, 10, 10, 12, 12, 0});
  // The later sequence starts first.
  CHECK(lines_by_address({row(4, 40), row(6, 0), row(0, 10), row(2, 0)}, 7) ==
        std::vector<LineNumber>{10, 10, 0, 0, 40, 40, 0});
  CHECK(lines_by_address({row(0, 1), row(4, 0), row(2, 2), row(6, 0), row(1, 3), row(3, 0)}, 6) ==
        std::vector<LineNumber>{1, 1, 1, 1, 2, 2});
  // Rows that run backwards inside a sequence.
  CHECK(lines_by_address({row(2, 2), row(0, 1), row(4, 0)}, 4) ==
        std::vector<LineNumber>{1, 1, 2, 2});
  CHECK(row_ranges({}).empty());
}
