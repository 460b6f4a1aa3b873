#include "engine/support/ordered_work.h"

#include <algorithm>
#include <atomic>
#include <new>

#include <catch2/catch.hpp>

using namespace gprof;

TEST_CASE("what is made side by side is taken in order, one at a time") {
  const std::size_t threads = GENERATE(1U, 2U, 5U);
  const std::size_t count = GENERATE(0U, 1U, 1000U);
  const std::size_t most_waiting = GENERATE(0U, 1U, 7U);
  std::atomic<std::size_t> begun = 0;
  std::atomic<int> taking = 0;
  std::size_t next = 0;
  bool in_order = true;
  bool few_wait = true;
  make_and_take(
      count, threads, most_waiting,
      [&](std::size_t i) {
        ++begun;
        return i * i;
      },
      [&](std::size_t i, std::size_t square) {
        in_order = in_order && ++taking == 1 && i == next++ && square == i * i;
        few_wait = few_wait && begun <= i + std::max<std::size_t>(1, most_waiting) + threads;
        --taking;
      });
  CHECK(next == count);
  CHECK(in_order);
  CHECK(few_wait);
}

TEST_CASE("who runs out of memory stops all, and the caller hears of it") {
  const auto fails_at = [](std::size_t bad) {
    return [bad](std::size_t i) {
      if (i == bad) throw std::bad_alloc();
      return i;
    };
  };
  const auto take = [](std::size_t /*i*/, std::size_t /*value*/) {};
  CHECK_THROWS_AS(make_and_take(1000, 4, 8, fails_at(500), take), std::bad_alloc);
  const auto make = [](std::size_t i) { return i; };
  const auto take_none = [](std::size_t i, std::size_t /*value*/) {
    if (i == 20) throw std::bad_alloc();
  };
  CHECK_THROWS_AS(make_and_take(1000, 4, 8, make, take_none), std::bad_alloc);
}
