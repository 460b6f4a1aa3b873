#include "engine/gmon/live_changes.h"

#include <catch2/catch.hpp>

#include "tests/support/live_builder.h"

using namespace gprof;
using namespace gprof::test;

namespace {

LiveDescription counting(std::uint64_t calls, std::uint64_t samples = 5) {
  LiveDescription live;
  live.arcs(0, {{0x1010, 0x1100, calls}, {0x1020, 0x1200, 8}});
  live.samples({{0x1011, 0, samples}});
  live.stacks({{samples, 0, false, {0x1011, 0x1020}}});
  live.block_counts(still_loaded, 0, {{0x410, 11}});
  return live;
}

LiveCounters read(const LiveDescription& description) {
  auto live = read_live_counters(build_live(description), "gmon.live.1");
  REQUIRE(live);
  return *std::move(live);
}

}  // namespace

TEST_CASE("counts of two looks are compared one by one") {
  const LiveCounters before = read(counting(7));
  CHECK(same_counts(before, read(counting(7))));
  CHECK_FALSE(shows_less(read(counting(7)), before));
  CHECK_FALSE(same_counts(before, read(counting(9))));
  CHECK_FALSE(shows_less(read(counting(9)), before));
  CHECK(shows_less(read(counting(6)), before));
  CHECK_FALSE(same_counts(before, read(counting(7, 6))));
  CHECK(shows_less(read(counting(9, 4)), before));
}

TEST_CASE("an arc that is on its way to another table shows less, though others have risen") {
  const LiveCounters before = read(counting(7));
  LiveDescription moving = counting(700);
  // The second arc temporarily has no entry.
  moving.chunks.clear();
  moving.arcs(0, {{0x1010, 0x1100, 700}, {1, 0x1200, 8}});
  moving.samples({{0x1011, 0, 5}});
  moving.stacks({{5, 0, false, {0x1011, 0x1020}}});
  moving.block_counts(still_loaded, 0, {{0x410, 11}});
  CHECK(shows_less(read(moving), before));
}

TEST_CASE("an arc that has moved to the next epoch is still the same") {
  const LiveCounters before = read(counting(7));
  LiveDescription later = counting(7);
  later.header.epoch = 1;
  CHECK_FALSE(shows_less(read(later), before));
  LiveDescription retired = counting(7);
  retired.chunks.clear();
  retired.header.epoch = 1;
  retired.arcs(0, {{0x1010, 0x1100, 7}, {1, 0x1200, 8}});
  retired.retired_arcs(0, 0, {{0x1020, 0x1200, 8}});
  retired.samples({{0x1011, 0, 5}});
  retired.stacks({{5, 0, false, {0x1011, 0x1020}}});
  retired.block_counts(0, 0, {{0x410, 11}});
  CHECK_FALSE(shows_less(read(retired), before));
}
