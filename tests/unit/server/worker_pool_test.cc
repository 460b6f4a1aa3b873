#include "server/system/worker_pool.h"

#include <atomic>
#include <future>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

using gprof::lsp::WorkerPool;

TEST_CASE("with no threads a job has run when post() returns") {
  WorkerPool pool(0);
  int runs = 0;
  pool.post([&] { ++runs; });
  CHECK(runs == 1);
}

TEST_CASE("one thread runs jobs in their order") {
  std::vector<int> order;
  std::promise<void> done;
  WorkerPool pool(1);
  for (int i = 0; i < 100; ++i) pool.post([&order, i] { order.push_back(i); });
  pool.post([&] { done.set_value(); });
  done.get_future().wait();
  REQUIRE(order.size() == 100);
  for (int i = 0; i < 100; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("jobs that have not begun are destroyed with the pool") {
  const auto token = std::make_shared<int>(0);
  std::promise<void> started;
  std::promise<void> release;
  {
    WorkerPool pool(1);
    pool.post([&started, released = release.get_future().share()] {
      started.set_value();
      released.wait();
    });
    started.get_future().wait();
    for (int i = 0; i < 10; ++i) pool.post([token] {});
    CHECK(token.use_count() == 11);
    release.set_value();
  }
  CHECK(token.use_count() == 1);
}

TEST_CASE(
    "a job for when the pool is idle runs after the posted ones, and at once in an idle pool") {
  std::atomic<int> ended{0};
  std::promise<int> seen;
  std::promise<void> release;
  {
    WorkerPool pool(2);
    pool.post([&ended, released = release.get_future().share()] {
      released.wait();
      ++ended;
    });
    for (int i = 0; i < 9; ++i) pool.post([&] { ++ended; });
    pool.when_idle([&] { seen.set_value(ended); });
    CHECK(pool.posted() == 10);
    release.set_value();
    CHECK(seen.get_future().get() == 10);
  }
  WorkerPool idle(1);
  int runs = 0;
  idle.when_idle([&] { ++runs; });
  CHECK(runs == 1);
}

TEST_CASE("a job that waits for an idle pool is destroyed with it") {
  const auto token = std::make_shared<int>(0);
  std::promise<void> started;
  std::promise<void> release;
  {
    WorkerPool pool(1);
    pool.post([&started, released = release.get_future().share()] {
      started.set_value();
      released.wait();
    });
    started.get_future().wait();
    pool.post([] {});
    pool.when_idle([token] {});
    release.set_value();
  }
  CHECK(token.use_count() == 1);
}
