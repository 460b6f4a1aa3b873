#include "server/loading/snapshot_cache.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/files.h"
#include "tests/unit/server/counting_program.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace {

std::shared_ptr<const Snapshot> load(SnapshotCache& cache, const AnalysisRequest& request) {
  auto loaded = cache.load(request);
  if (!loaded) FAIL(describe(loaded.error()));
  return *loaded;
}

}  // namespace

TEST_CASE("who loads what another holds gets the very same") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("cache-same", 10);
  SnapshotCache cache;
  auto first = load(cache, program.request());
  CHECK(load(cache, program.request()) == first);
  CHECK(first->profile().counted_calls() == 10);

  // A new profile: another snapshot of the same program. The old one stays unchanged.
  program.run(11);
  const auto second = load(cache, program.request());
  CHECK(second != first);
  CHECK(second->program() == first->program());
  CHECK(second->profile().counted_calls() == 11);
  CHECK(first->profile().counted_calls() == 10);

  // The sidecar is part of it too.
  write_file(program.folder / "gmon.out.gpx", "no sidecar");
  const auto third = load(cache, program.request());
  CHECK(third != second);

  program.build(40);
  program.run(12);
  const auto rebuilt = load(cache, program.request());
  CHECK(rebuilt->program() != first->program());
  CHECK(rebuilt->profile().counted_calls() == 12);
}

TEST_CASE("what nobody holds is not kept") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("cache-weak", 10);
  SnapshotCache cache;
  std::weak_ptr<const Snapshot> gone = load(cache, program.request());
  CHECK(gone.expired());
  CHECK(load(cache, program.request())->profile().counted_calls() == 10);
}

TEST_CASE("failures are not kept") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("cache-failure");
  SnapshotCache cache;
  const auto missing = cache.load(program.request());
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::not_found);
  program.run(10);
  CHECK(cache.load(program.request()));
}

TEST_CASE("loads of one thing at once are one load") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("cache-threads", 10);
  SnapshotCache cache;
  std::vector<std::shared_ptr<const Snapshot>> loaded(4);
  std::vector<std::thread> threads;
  // The first one is delayed until the others have had time to arrive.
  std::atomic<bool> held_up = false;
  std::atomic<int> analyses = 0;
  for (auto& snapshot : loaded) {
    threads.emplace_back([&] {
      AnalysisRequest request = program.request();
      bool counted = false;
      request.progress = [&, counted](std::string_view, double) mutable {
        if (!counted) ++analyses;
        counted = true;
        if (!held_up.exchange(true)) std::this_thread::sleep_for(std::chrono::milliseconds(300));
      };
      auto outcome = cache.load(request);
      if (outcome) snapshot = *outcome;
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(loaded[0] != nullptr);
  for (const auto& snapshot : loaded) CHECK(snapshot == loaded[0]);
  CHECK(analyses == 1);
}

TEST_CASE("one that gives up does not take the others with it") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("cache-cancel", 10);
  SnapshotCache cache;
  std::atomic<bool> leader_cancelled = false;
  std::atomic<bool> leader_loads = false;
  std::thread leader([&] {
    AnalysisRequest request = program.request();
    request.cancelled = &leader_cancelled;
    request.progress = [&](std::string_view, double) {
      leader_loads = true;
      while (!leader_cancelled) std::this_thread::yield();
    };
    const auto outcome = cache.load(request);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == ErrorCode::cancelled);
  });
  while (!leader_loads) std::this_thread::yield();

  // One that waits and gives up, while the first one continues.
  std::atomic<bool> cancelled = false;
  std::thread impatient([&] {
    AnalysisRequest request = program.request();
    request.cancelled = &cancelled;
    const auto outcome = cache.load(request);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == ErrorCode::cancelled);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  cancelled = true;
  impatient.join();
  CHECK_FALSE(leader_cancelled);

  // One that waits, and loads on its own when the first one gives up.
  std::shared_ptr<const Snapshot> loaded;
  std::thread patient([&] {
    auto outcome = cache.load(program.request());
    if (outcome) loaded = *outcome;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  leader_cancelled = true;
  leader.join();
  patient.join();
  REQUIRE(loaded != nullptr);
  CHECK(loaded->profile().counted_calls() == 10);
}
