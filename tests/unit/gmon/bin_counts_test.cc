#include "engine/gmon/bin_counts.h"

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/test_seed.h"

using namespace gprof;

namespace {

using Counts = std::vector<std::uint64_t>;

Counts all(const BinCounts& bins) { return {bins.begin(), bins.end()}; }

std::vector<std::byte> stored(const std::vector<std::uint16_t>& counts, ByteOrder order) {
  std::vector<std::byte> bytes;
  for (const std::uint16_t count : counts) {
    const auto low = static_cast<std::byte>(count & 0xffU);
    const auto high = static_cast<std::byte>(count >> 8U);
    bytes.push_back(order == ByteOrder::little ? low : high);
    bytes.push_back(order == ByteOrder::little ? high : low);
  }
  return bytes;
}

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

}  // namespace

TEST_CASE("bin counts: any count is kept, whatever the others are") {
  BinCounts bins(4);
  CHECK(all(bins) == Counts{0, 0, 0, 0});
  bins[1] = 65'535;
  bins[2] = 65'536;
  CHECK(all(bins) == Counts{0, 65'535, 65'536, 0});
  bins[0] = std::uint64_t{1} << 40U;
  CHECK(all(bins) == Counts{std::uint64_t{1} << 40U, 65'535, 65'536, 0});
  bins.add(3, most - 1);
  bins.add(3, 5);
  CHECK(bins[3] == most);
  bins.resize(6);
  CHECK(all(bins) == Counts{std::uint64_t{1} << 40U, 65'535, 65'536, most, 0, 0});
}

TEST_CASE("bin counts: equal counts are equal, however they came about") {
  BinCounts wide{1, 100'000'000'000, 3};
  wide[1] = 2;
  CHECK(wide == BinCounts{1, 2, 3});
  CHECK_FALSE(wide == BinCounts{1, 2});
  CHECK_FALSE(wide == BinCounts{1, 2, 4});
}

TEST_CASE("bin counts: sums of stored bins are those of numbers without an end") {
  const auto order = GENERATE(ByteOrder::little, ByteOrder::big);
  std::mt19937 random(test_seed(7));
  constexpr std::size_t size = 100;
  BinCounts bins(size);
  Counts expected(size);
  for (int file = 0; file < 300; ++file) {
    std::vector<std::uint16_t> counts(size);
    for (std::size_t i = 0; i < size; ++i) {
      // Blocks of zeros, small counts, and some that soon need more than 16 bits.
      const bool used = i / 16 % 3 != 1 && random() % 2 == 0;
      if (used) counts[i] = static_cast<std::uint16_t>(i % 7 == 0 ? 65'535 : random() % 50);
      expected[i] += counts[i];
    }
    bins.add_stored(stored(counts, order), order);
    REQUIRE(all(bins) == expected);
  }
  CHECK(bins[0] > 65'535);
  // From there on with 32 bits, and then with 64.
  bins[0] = std::numeric_limits<std::uint32_t>::max();
  bins.add_stored(stored({1, 2}, order), order);
  CHECK(bins[0] == std::uint64_t{1} << 32U);
  CHECK(bins[1] == expected[1] + 2);
}

TEST_CASE("bin counts: what is added to fewer bins is left out") {
  BinCounts bins{1, 2};
  bins.add(BinCounts{70'000, 0, 9});
  CHECK(all(bins) == Counts{70'001, 2});
  bins.add_stored(stored({1, 1, 1, 1}, ByteOrder::little), ByteOrder::little);
  CHECK(all(bins) == Counts{70'002, 3});
  Counts used;
  bins[0] = 0;
  bins.visit_used([&](std::size_t index, std::uint64_t count) {
    used.push_back(index);
    used.push_back(count);
  });
  CHECK(used == Counts{1, 3});
}
