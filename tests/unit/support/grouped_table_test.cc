#include "engine/support/grouped_table.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/test_seed.h"

using namespace gprof;

TEST_CASE("equal elements are found, whether groups ascend, are large, or stand anyhow") {
  std::mt19937 random(test_seed(1));
  for (const int kind : {0, 1, 2, 3}) {
    std::vector<std::pair<int, int>> wanted;
    for (int i = 0; i < 2000; ++i) {
      const int group = kind == 0   ? i / 8
                        : kind == 1 ? i / 500
                        : kind == 2 ? (i < 900 ? i / 9 : 100 + i / 300)
                                    : static_cast<int>(random() % 50);
      wanted.emplace_back(group, static_cast<int>(random() % 6));
    }
    GroupedTable table(wanted.size(), [&](std::size_t i) { return wanted[i].first; });
    std::vector<std::pair<int, int>> known;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto& element = wanted[i];
      const auto next = static_cast<std::uint32_t>(known.size());
      const auto hash = [&] {
        return hash_of(static_cast<std::uint64_t>(element.first),
                       static_cast<std::uint64_t>(element.second));
      };
      const auto place = table.find_or_add(
          i, next, hash, [&](std::uint32_t k) { return known[k].first == element.first; },
          [&](std::uint32_t k) { return known[k] == element; });
      if (place == next) known.push_back(element);
      REQUIRE(known[place] == element);
    }
    auto distinct = wanted;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    CHECK(known.size() == distinct.size());
  }
}
