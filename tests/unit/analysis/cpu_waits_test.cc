// Where threads waited for a CPU: in proportion to their samples, and nothing is lost.
#include "engine/cpu_waits.h"

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/snapshot_view.h"
#include "engine/waiting.h"
#include "tests/support/made_up_profile.h"
#include "tests/support/test_seed.h"

using namespace gprof;
using namespace gprof::test;

namespace {

using Shares = std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint64_t>;

// By whole, thread and slice.
Shares shares_of(const std::vector<SidecarPart>& samples, const std::vector<SidecarPart>& waits) {
  CpuWaitTimes times;
  for (const SidecarPart& wait : waits) times.add(wait);
  Shares shares;
  CpuWaitShares(samples).share_out(times, [&](const SidecarPart& share) {
    shares[{share.whole, share.thread, share.slice}] += share.count;
  });
  return shares;
}

}  // namespace

TEST_CASE("cpu waits: a slice's time goes with the thread's samples in it") {
  const std::vector<SidecarPart> samples = {{0, 0, 5, 3}, {1, 0, 5, 1}, {2, 0, 6, 7}, {0, 1, 5, 9}};
  CHECK(shares_of(samples, {{0, 0, 5, 400}}) == Shares{{{0, 0, 5}, 300}, {{1, 0, 5}, 100}});
  CHECK(shares_of(samples, {{0, 1, 5, 10}, {0, 0, 6, 20}}) ==
        Shares{{{0, 1, 5}, 10}, {{2, 0, 6}, 20}});
}

TEST_CASE("cpu waits: what cannot be divided is not lost") {
  const std::vector<SidecarPart> samples = {{0, 0, 5, 1}, {1, 0, 5, 1}, {2, 0, 5, 1}};
  std::uint64_t sum = 0;
  for (const auto& [key, time] : shares_of(samples, {{0, 0, 5, 1000}})) sum += time;
  CHECK(sum == 1000);
}

TEST_CASE("cpu waits: in slices without samples they go with all of the thread's") {
  const std::vector<SidecarPart> samples = {{0, 0, 5, 30}, {1, 0, 6, 10}, {7, 1, 0, 1000}};
  std::vector<SidecarPart> waits;
  for (std::uint32_t slice = 100; slice < 300; ++slice) waits.push_back({0, 0, slice, 8'000});
  std::map<std::uint32_t, std::uint64_t> by_whole;
  std::map<std::uint32_t, std::uint64_t> by_slice;
  for (const auto& [key, time] : shares_of(samples, waits)) {
    by_whole[std::get<0>(key)] += time;
    by_slice[std::get<2>(key)] += time;
  }
  REQUIRE(by_whole.size() == 2);
  CHECK(static_cast<double>(by_whole[0]) ==
        Approx(3 * static_cast<double>(by_whole[1])).epsilon(0.02));
  CHECK(by_slice.size() == 200);
  for (const auto& [slice, time] : by_slice) CHECK(time == 8'000);
}

TEST_CASE("cpu waits: a thread without samples has them nowhere") {
  CHECK(shares_of({{0, 0, 5, 3}}, {{0, 1, 5, 70}, {0, no_thread, no_slice, 5}}) ==
        Shares{{{CpuWaitShares::nowhere, 1, 5}, 70},
               {{CpuWaitShares::nowhere, no_thread, no_slice}, 5}});
}

TEST_CASE("cpu waits: a part has the same shares as it has of the whole") {
  std::mt19937 random(test_seed(7));
  std::vector<SidecarPart> samples;
  for (std::uint32_t i = 0; i < 40; ++i) {
    samples.push_back({i % 9, i % 3, static_cast<std::uint32_t>(random() % 50), 1 + random() % 9});
  }
  std::vector<SidecarPart> waits;
  for (std::uint32_t slice = 0; slice < 50; ++slice) {
    waits.push_back({0, slice % 4, slice, 1 + random() % 10'000});
  }
  const Shares whole = shares_of(samples, waits);
  Shares sum;
  for (const SidecarPart& wait : waits) {
    for (const auto& [key, time] : shares_of(samples, {wait})) sum[key] += time;
  }
  CHECK(sum == whole);
}

TEST_CASE("amplification: waits for a CPU are shared out in time of the parts alone") {
  // Every slice but one is without samples, and that one has very many.
  constexpr std::uint32_t count = 20'000;
  std::vector<SidecarPart> samples;
  std::vector<SidecarPart> waits;
  for (std::uint32_t i = 0; i < count; ++i) samples.push_back({i, 0, 0, 1});
  for (std::uint32_t i = 1; i <= count; ++i) waits.push_back({0, 0, i, 1000});
  CpuWaitTimes times;
  for (const SidecarPart& wait : waits) times.add(wait);
  std::size_t visits = 0;
  CpuWaitShares(samples).share_out(times, [&](const SidecarPart&) { ++visits; });
  CHECK(visits <= 8 * (samples.size() + waits.size()));
}

TEST_CASE("waiting: wait.cpu is at the samples of its thread, and part of wait and wall") {
  MadeUpProfile made("cpu_waits", {"main", "step", "other"});
  made.thread(11, "main").thread(12, "worker");
  made.stack_of(0, 0, 20, {"main", "step"}).stack_of(0, 0, 20, {"main"});
  made.stack_of(1, 3, 5, {"other"});
  made.wait_of(0, 0, WaitKind::lock, "pthread_mutex_lock", 30, {"main", "step"});
  made.wait_of(0, 0, WaitKind::cpu, "", 80, {"main"});
  made.wait_of(1, 4, WaitKind::cpu, "", 10, {"main"});
  const auto snapshot = made.snapshot();
  const auto seconds_of = [&](std::string_view cost, std::string_view function) {
    const auto view = view_of(snapshot, cost, {});
    REQUIRE(view);
    return (*view)->profile().seconds((*view)->profile().self(made.symbol(function)));
  };
  CHECK(seconds_of("wait.cpu", "step") == Approx(0.040));
  CHECK(seconds_of("wait.cpu", "main") == Approx(0.040));
  CHECK(seconds_of("wait.cpu", "other") == Approx(0.010));
  CHECK(seconds_of("wait", "step") == Approx(0.070));
  CHECK(seconds_of("wall", "main") == Approx(seconds_of("cpu", "main") + 0.040));
  CHECK(seconds_of("wait.lock", "main") == 0);
}
