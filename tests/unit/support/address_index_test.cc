// Where an address belongs among others, up to the last possible one.
#include "engine/support/address_index.h"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/test_seed.h"

using namespace gprof;

namespace {

constexpr std::uint64_t last_address = std::numeric_limits<std::uint64_t>::max();

struct Placed {
  Address address;
};

std::size_t counted(const std::vector<Placed>& placed, Address address) {
  return static_cast<std::size_t>(std::count_if(
      placed.begin(), placed.end(), [&](const Placed& one) { return one.address <= address; }));
}

void check(const std::vector<Placed>& placed, std::uint64_t address) {
  const AddressIndex index{std::span(placed)};
  CAPTURE(placed.size(), address);
  CHECK(index.starting_by({address}, std::span(placed)) == counted(placed, {address}));
}

}  // namespace

TEST_CASE("address index: every address has its place, the last one too") {
  for (const std::vector<Placed>& placed :
       {std::vector<Placed>{}, std::vector<Placed>{{{0}}}, std::vector<Placed>{{{0}}, {{1}}},
        std::vector<Placed>{{{7}}, {{7}}, {{9}}}, std::vector<Placed>{{{0}}, {{last_address}}},
        std::vector<Placed>{{{last_address}}}}) {
    for (const std::uint64_t address :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{6}, std::uint64_t{7}, std::uint64_t{8},
          std::uint64_t{9}, std::uint64_t{10}, last_address - 1, last_address}) {
      check(placed, address);
    }
  }
}

TEST_CASE("address index: it agrees with a count") {
  std::mt19937_64 random(test_seed(3));
  for (const unsigned bits : {4U, 12U, 40U, 64U}) {
    std::vector<Placed> placed(100);
    for (Placed& one : placed) one.address = {random() >> (64 - bits)};
    std::sort(placed.begin(), placed.end(),
              [](const Placed& a, const Placed& b) { return a.address < b.address; });
    for (int i = 0; i < 200; ++i) check(placed, random() >> (64 - bits));
    check(placed, last_address);
  }
}
