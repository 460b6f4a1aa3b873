#include "engine/support/index_table.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace gprof;

namespace {

// Puts the keys into a list without duplicates, and returns the place of each.
std::vector<std::uint32_t> places_of(const std::vector<std::uint64_t>& keys, bool one_hash) {
  IndexTable table(keys.size());
  std::vector<std::uint64_t> list;
  std::vector<std::uint32_t> places;
  for (const std::uint64_t key : keys) {
    const auto next = static_cast<std::uint32_t>(list.size());
    const std::uint64_t hash = one_hash ? ~std::uint64_t{0} : hash_of(key, 7);
    const auto place =
        table.find_or_add(hash, next, [&](std::uint32_t i) { return list[i] == key; });
    if (place == next) list.push_back(key);
    places.push_back(place);
  }
  return places;
}

}  // namespace

TEST_CASE("an index table finds every element of a list, also where all hashes are one") {
  for (const bool one_hash : {false, true}) {
    CHECK(places_of({}, one_hash).empty());
    CHECK(places_of({5}, one_hash) == std::vector<std::uint32_t>{0});
    CHECK(places_of({5, 9, 5, 9, 1}, one_hash) == std::vector<std::uint32_t>{0, 1, 0, 1, 2});
    std::vector<std::uint64_t> keys;
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < 2000; ++i) {
      keys.push_back(std::uint64_t{16} * (i % 1000));
      expected.push_back(i % 1000);
    }
    CHECK(places_of(keys, one_hash) == expected);
  }
}
