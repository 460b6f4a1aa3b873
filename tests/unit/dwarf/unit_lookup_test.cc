// Which unit an address belongs to if ranges nest and overlap.
#include "engine/dwarf/unit_lookup.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/test_seed.h"

using namespace gprof;
using namespace gprof::dwarf;

namespace {

struct Placed {
  AddressRange range;
  UnitIndex unit = 0;
};

UnitLookup lookup_of(const std::vector<Placed>& placed) {
  UnitLookup lookup;
  for (const Placed& one : placed) lookup.add(one.range, one.unit);
  lookup.sort();
  return lookup;
}

std::optional<UnitIndex> found_one_by_one(const std::vector<Placed>& placed, Address address) {
  const Placed* best = nullptr;
  for (const Placed& one : placed) {
    if (!one.range.contains(address)) continue;
    if (best == nullptr || std::tie(best->range, best->unit) < std::tie(one.range, one.unit)) {
      best = &one;
    }
  }
  return best == nullptr ? std::nullopt : std::optional(best->unit);
}

std::chrono::duration<double> time_of_finds(const UnitLookup& lookup, std::uint64_t extent) {
  constexpr std::size_t finds = 20'000;
  auto best = std::chrono::duration<double>::max();
  for (int run = 0; run < 3; ++run) {
    const auto begun = std::chrono::steady_clock::now();
    std::size_t found = 0;
    for (std::size_t i = 0; i < finds; ++i) {
      found += lookup.find({extent - 1 - i * (extent / 2) / finds}) ? 1 : 0;
    }
    CHECK(found == finds);
    best = std::min<std::chrono::duration<double>>(best, std::chrono::steady_clock::now() - begun);
  }
  return best;
}

}  // namespace

TEST_CASE("units: where ranges overlap, the one that starts last is found") {
  std::mt19937 random(test_seed(7));
  const auto number = [&](std::uint64_t below) { return random() % below; };
  for (std::size_t round = 0; round < 300; ++round) {
    std::vector<Placed> placed(number(12));
    for (std::size_t i = 0; i < placed.size(); ++i) {
      const std::uint64_t low = number(30);
      placed[i] = {{{low}, {low + number(20)}}, static_cast<UnitIndex>(number(6))};
    }
    // A reversed one, and one up to the last address.
    placed.push_back({{{9}, {3}}, 7});
    if (round % 3 == 0) placed.push_back({{{number(30)}, {~std::uint64_t{0}}}, 8});
    const UnitLookup lookup = lookup_of(placed);
    for (std::uint64_t address = 0; address < 60; ++address) {
      CHECK(lookup.find({address}) == found_one_by_one(placed, {address}));
    }
    CHECK(lookup.find({~std::uint64_t{0} - 1}) ==
          found_one_by_one(placed, {~std::uint64_t{0} - 1}));
  }
}

TEST_CASE("units: ranges in each other cost about what ranges behind each other do") {
  constexpr std::uint64_t count = 20'000;
  std::vector<Placed> nested;
  std::vector<Placed> flat;
  for (std::uint64_t i = 0; i < count; ++i) {
    nested.push_back({{{i}, {2 * count - i}}, static_cast<UnitIndex>(i)});
    flat.push_back({{{2 * i}, {2 * i + 2}}, static_cast<UnitIndex>(i)});
  }
  const auto of_nested = time_of_finds(lookup_of(nested), 2 * count);
  const auto of_flat = time_of_finds(lookup_of(flat), 2 * count);
  CAPTURE(of_nested.count(), of_flat.count());
  // One step per range around the address would be a thousand times as much.
  CHECK(of_nested < 50 * of_flat);
}
