#include "engine/symbols/line_ranges.h"

#include <catch2/catch.hpp>

#include "engine/symbols/covered_ranges.h"
#include "tests/support/build_program.h"
#include "tests/support/process.h"
#include "tests/unit/dwarf/program_under_test.h"

using namespace gprof;
using namespace gprof::test;

namespace {

bool same(const LineRange& a, const LineRange& b) {
  return a.code == b.code && a.path == b.path && a.line == b.line && a.function == b.function;
}

std::vector<AddressRange> free_parts(const CoveredRanges& claimed, AddressRange range) {
  std::vector<AddressRange> parts;
  claimed.free_parts(range, [&](AddressRange part) { parts.push_back(part); });
  return parts;
}

AddressRange range(std::uint64_t low, std::uint64_t high) { return {Address{low}, Address{high}}; }

}  // namespace

TEST_CASE("line ranges: the same whatever the number of threads, and found by address") {
  if (!have_programs({"g++"})) return;
  const auto directory = fresh_directory("line ranges");
  const auto debug = open_program(build_program(
      {"g++", "-std=c++17", "-O2", "-g"}, {"dwarf_shapes.cc", "dwarf_outside.cc"}, directory));
  const LineRanges expected = LineRanges::read(*debug, FunctionNaming::all, 1);
  const LineRanges ranges = LineRanges::read(*debug, FunctionNaming::all, 5);
  REQUIRE(ranges.ranges().size() > 20);
  CHECK(std::equal(ranges.ranges().begin(), ranges.ranges().end(), expected.ranges().begin(),
                   expected.ranges().end(), same));
  CHECK(std::equal(ranges.paths().begin(), ranges.paths().end(), expected.paths().begin(),
                   expected.paths().end()));
  CHECK(ranges.functions().size() == expected.functions().size());

  // Forwards and backwards, in small steps and in one large one.
  LineRangeFinder finder(ranges);
  const std::span<const LineRange> all = ranges.ranges();
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(finder.at(all[i].code.low) == &all[i]);
    CHECK(finder.at(all[i].code.high - 1) == &all[i]);
    const LineRange& mirrored = all[all.size() - 1 - i];
    CHECK(finder.at(mirrored.code.low) == &mirrored);
  }
  CHECK(finder.at(all.front().code.low - 1) == nullptr);
  CHECK(finder.at(all.back().code.high) == nullptr);
  CHECK(LineRangeFinder(LineRanges()).at(Address{1}) == nullptr);
}

TEST_CASE("claimed code: what is claimed is no more free, and touching claims become one") {
  CoveredRanges claimed;
  CHECK(claimed.is_free(range(0, 100)));
  claimed.add(range(10, 20));
  claimed.add(range(30, 40));
  CHECK(claimed.is_free(range(20, 30)));
  CHECK_FALSE(claimed.is_free(range(19, 30)));
  CHECK_FALSE(claimed.is_free(range(20, 31)));
  CHECK_FALSE(claimed.is_free(range(0, 100)));
  CHECK(free_parts(claimed, range(0, 100)) ==
        std::vector<AddressRange>{range(0, 10), range(20, 30), range(40, 100)});
  claimed.add(range(20, 30));
  CHECK(free_parts(claimed, range(5, 50)) ==
        std::vector<AddressRange>{range(5, 10), range(40, 50)});
}
