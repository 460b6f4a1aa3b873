// Samples as events: as many as the time is worth, however short-lived the threads.
#include "runtime/sampling/random_events.h"

#include <cstdint>

#include <catch2/catch.hpp>

namespace {

using namespace gprof_runtime::sampler;

constexpr std::uint64_t mean = 1000000;
constexpr std::uint64_t least = 50000;

// Events reported within the life of a thread.
std::uint64_t events_of_life(RandomState* random, std::uint64_t length) {
  std::uint64_t told = 0;
  NextEvents next = next_events(random, mean, least);
  for (std::uint64_t now = next.after; now <= length; now += next.after) {
    told += next.count;
    next = next_events(random, mean, least);
  }
  return told;
}

TEST_CASE("random events: short lives are sampled as often as one long one") {
  constexpr std::uint64_t all = 1000000;  // events expected by chance
  RandomState random = {1};
  for (const std::uint64_t length : {mean / 2, mean, 4 * mean, 1000 * mean}) {
    std::uint64_t told = 0;
    for (std::uint64_t life = 0; life < all * mean / length; ++life) {
      told += events_of_life(&random, length);
    }
    CAPTURE(length);
    CHECK(static_cast<double>(told) == Approx(all).epsilon(0.005));
  }
}

TEST_CASE("random events: none is told of sooner than the least interval") {
  RandomState random = {1};
  bool together = false;
  for (int i = 0; i < 10000; ++i) {
    const NextEvents next = next_events(&random, mean, least);
    REQUIRE(next.after >= least);
    REQUIRE(next.count >= 1);
    if (next.count > 1) {
      REQUIRE(next.after == least);
      together = true;
    }
  }
  CHECK(together);
}

}  // namespace
