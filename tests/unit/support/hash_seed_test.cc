#include "engine/support/hash_seed.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

using namespace gprof;

TEST_CASE("hashes of numbers differ from process to process, not within one") {
  CHECK(hash_seed() == hash_seed());
  CHECK(hash_of(1, 2) == hash_of(1, 2));
  CHECK(hash_of(1, 2) != hash_of(2, 1));
  // Numbers that fall together by one seed do not by another.
  const auto slot = [](std::uint64_t number, std::uint64_t seed) {
    return mixed_hash(number, 0, seed) >> 48U;
  };
  std::vector<std::uint64_t> together;
  for (std::uint64_t i = 0; together.size() < 50; ++i) {
    if (slot(i, 1) == 0) together.push_back(i);
  }
  std::size_t still = 0;
  for (const std::uint64_t one : together) still += slot(one, 2) == slot(together[0], 2) ? 1 : 0;
  CHECK(still < 5);
}
