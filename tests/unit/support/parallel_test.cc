#include "engine/support/parallel.h"

#include <thread>
#include <utility>

#include <catch2/catch.hpp>

using namespace gprof;

TEST_CASE("every index is worked on once, by any number of threads") {
  for (const std::size_t count : {0u, 1u, 2u, 1000u}) {
    for (const std::size_t threads : {0u, 1u, 2u, 7u}) {
      INFO(count << " by " << threads);
      std::vector<int> times(count);
      for_each_index(count, threads, [&](std::size_t i) { ++times[i]; });
      CHECK(times == std::vector<int>(count, 1));
    }
  }
}

TEST_CASE("one thread is the caller's own") {
  const auto own = std::this_thread::get_id();
  for_each_index(10, 1, [&](std::size_t) { CHECK(std::this_thread::get_id() == own); });
  CHECK(processor_count() >= 1);
}

TEST_CASE("what is not worth a thread is done on the caller's own, one behind the other") {
  const auto own = std::this_thread::get_id();
  int done = 0;
  run_beside([&] { CHECK(std::exchange(done, 1) == 0); },
             [&] {
               CHECK(std::this_thread::get_id() == own);
               CHECK(std::exchange(done, 2) == 1);
             },
             false);
  CHECK(done == 2);
}
