#include "server/system/worker_pool.h"

#include <atomic>
#include <future>

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
