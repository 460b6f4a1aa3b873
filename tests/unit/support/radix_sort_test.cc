#include "engine/support/radix_sort.h"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/test_seed.h"

using namespace gprof;

namespace {

struct Item {
  std::uint64_t key = 0;
  std::size_t place = 0;
  friend bool operator==(const Item&, const Item&) = default;
};

std::vector<Item> items_of(const std::vector<std::uint64_t>& keys) {
  std::vector<Item> items;
  for (const std::uint64_t key : keys) items.push_back({key, items.size()});
  return items;
}

void check_sorts(const std::vector<std::uint64_t>& keys) {
  std::vector<Item> expected = items_of(keys);
  std::stable_sort(expected.begin(), expected.end(),
                   [](const Item& a, const Item& b) { return a.key < b.key; });
  std::vector<Item> sorted = items_of(keys);
  radix_sort(sorted, [](const Item& item) { return item.key; });
  CHECK(sorted == expected);
}

}  // namespace

TEST_CASE("radix sort: keys of all sizes, equal ones in their order") {
  std::mt19937_64 random(test_seed(5));
  for (const std::size_t count : {0U, 1U, 2U, 127U, 128U, 129U, 5000U}) {
    for (const std::uint64_t mask :
         {~std::uint64_t{0}, std::uint64_t{0xff}, std::uint64_t{0xff00ff00000000ff},
          std::uint64_t{3} << 62U, std::uint64_t{0}}) {
      std::vector<std::uint64_t> keys(count);
      for (std::uint64_t& key : keys) key = random() & mask;
      check_sorts(keys);
      std::sort(keys.begin(), keys.end(), std::greater<>());
      check_sorts(keys);
      std::reverse(keys.begin(), keys.end());
      check_sorts(keys);
    }
  }
}

TEST_CASE("radix sort: numbers sort as they compare") {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> ascending = {-infinity, -1e300, -2, -1, -1e-300, 0,
                                         1e-300,    0.5,    1,  2,  1e300,   infinity};
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    CHECK(sortable(ascending[i - 1]) < sortable(ascending[i]));
  }
  CHECK(sortable(-0.0) == sortable(0.0));
}
