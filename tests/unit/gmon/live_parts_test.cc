// Threads and slices of time in live counters: of which table the counts are, and that parts add
// up.
#include <catch2/catch.hpp>

#include "engine/gmon/collected_profile.h"
#include "engine/gmon/live_reader.h"
#include "formats/gmon_rules.h"
#include "tests/support/live_builder.h"

using namespace gprof;
using namespace gprof::test;

namespace {

LiveDescription description() {
  LiveDescription live;
  live.header.version = 2;
  live.header.slice_width = 2'000'000;
  live.module({0x50000, 0x50000, 0x60000, 0x51000, 0x58000, 0x51000, 0, still_loaded, 3, "\x01",
               "program", "/opt/program"});
  live.threads({{4712, 1, true, 0, 9, 6, 6, 2000, 1, 1500, "parser"},
                {4711, 0, false, 0, 0, 5, 4, 1000, 0, 1200, "program"},
                {4713, 1, false, 0, 9, 6, 6, 2000, 2, 1700, "solver"}});
  return live;
}

Sidecar collected(const LiveDescription& live) {
  const auto counters = read_live_counters(build_live(live), "gmon.live.1");
  REQUIRE(counters);
  CHECK(counters->warnings.empty());
  const auto profile = collect_profile(*counters, {});
  REQUIRE(profile);
  const auto written = write_sidecar(profile->sidecar);
  REQUIRE(written);
  CHECK(*read_sidecar(*written, "gmon.out.gpx") == profile->sidecar);
  return profile->sidecar;
}

}  // namespace

TEST_CASE("live parts: samples say which thread took them when") {
  LiveDescription live = description();
  // Of slot 1 the second edition counts, wherever it stands; slices of 1 ms become those of 2 ms.
  live.samples({{0x51011, 0, 4, 2, 0, 3}, {0x51011, 0, 1, 0, 0, 0xffffffff}},
               {.slot = 0, .edition = 1, .slice_width = 1'000'000});
  live.samples({{0x51011, 0, 5, 0, 1, 1}, {0x51011, 0, 6, 0, 2, 1}, {0x51021, 0, 7, 0, 9, 2}},
               {.slot = 1, .edition = 2, .slice_width = 2'000'000});
  live.samples({{0x51011, 0, 400, 0, 1, 1}}, {.slot = 1, .edition = 1, .slice_width = 1'000'000});
  live.samples({{0x51011, 0, 500, 0, 1, 1}}, {.slot = 1, .edition = 0, .slice_width = 2'000'000});
  const Sidecar sidecar = collected(live);
  REQUIRE(sidecar.threads.size() == 3);
  CHECK(sidecar.threads[0].name == "program");
  CHECK(sidecar.threads[1].name == "parser");
  CHECK(sidecar.threads[1].start_time == 1500);
  CHECK(sidecar.threads[2].thread == 4713);
  CHECK(sidecar.samples == std::vector<SidecarSample>{{{0, {0x1011}}, 16, 2}, {{0, {0x1021}}, 7}});
  CHECK(
      sidecar.sample_parts ==
      std::vector<SidecarPart>{
          {0, 0, 1, 4, 2}, {0, 0, no_slice, 1}, {0, 1, 1, 5}, {0, 2, 1, 6}, {1, no_thread, 2, 7}});
  CHECK(sidecar.slice_width == 2'000'000);
  CHECK(sidecar.slices == 3);
}

TEST_CASE("live parts: samples say how many of them are time in the kernel") {
  LiveDescription live = description();
  live.header.version = 3;
  live.samples({{0x51011, 0, 4, 2, 0, 3, 1}, {0x51011, 0, 5, 0, 1, 3, 5}, {0x51021, 0, 7, 0, 1, 3}},
               {.slot = 0, .edition = 1, .slice_width = 2'000'000});
  // The process was stopped between the two.
  live.samples({{0x51031, 0, 2, 0, 0, 3, 9}}, {.slot = 1, .edition = 1, .slice_width = 2'000'000});
  const Sidecar sidecar = collected(live);
  CHECK(sidecar.samples == std::vector<SidecarSample>{{{0, {0x1011}}, 9, 2, 6},
                                                      {{0, {0x1021}}, 7},
                                                      {{0, {0x1031}}, 2, 0, 2}});
  CHECK(sidecar.sample_parts ==
        std::vector<SidecarPart>{
            {0, 0, 3, 4, 2, 1}, {0, 1, 3, 5, 0, 5}, {1, 1, 3, 7}, {2, 0, 3, 2, 0, 2}});
}

TEST_CASE("live parts: stacks are counted apart from their frames") {
  LiveDescription live = description();
  live.stacks({{3, 0, false, {0x51011, 0x51020}, 0}, {0, 0, false, {0x51021}, 1}}, 0);
  live.stacks({{0, 0, false, {0x51011, 0x51020}, 0}, {0, 0, true, {0x51031}, 1}}, 1);
  live.stack_counts({{0, 0, 2, 4}, {1, 0, 3, 9}, {7, 0, 3, 100}},
                    {.slot = 0, .edition = 1, .slice_width = 1'000'000});
  live.stack_counts({{0, 2, 1, 5}, {0, 0, 1, 6}},
                    {.slot = 1, .edition = 4, .slice_width = 2'000'000});
  const Sidecar sidecar = collected(live);
  // The one of slot 1 that has no counts is none.
  CHECK(sidecar.stacks == std::vector<SidecarStack>{{18, false, {{0, {0x1011}}, {0, {0x1020}}}},
                                                    {9, false, {{0, {0x1021}}}}});
  CHECK(sidecar.stack_parts == std::vector<SidecarPart>{{0, 0, 1, 10}, {0, 2, 1, 5}, {1, 0, 1, 9}});
}

TEST_CASE("live parts: calls are those of the slot's thread, if it had one") {
  LiveDescription live = description();
  live.arcs(0, {{0x51010, 0x51100, 7}});
  live.arcs(1, {{0x51010, 0x51100, 8}});
  live.through_arcs(2, {{0x51010, 0x51200, 1}});
  const Sidecar sidecar = collected(live);
  CHECK(sidecar.arc_parts == std::vector<SidecarPart>{{0, 0, no_slice, 7},
                                                      {0, no_thread, no_slice, 8},
                                                      {1, no_thread, no_slice, 1}});
}

TEST_CASE("live parts: a slice that cannot be is none") {
  using gprof_formats::joined_slice;
  CHECK(joined_slice(7, 1000, 1000) == 7);
  CHECK(joined_slice(7, 1000, 4000) == 1);
  CHECK(joined_slice(8191, 1000, 2000) == 4095);
  CHECK(joined_slice(8192, 1000, 2000) == no_slice);
  CHECK(joined_slice(7, 4000, 1000) == no_slice);
  CHECK(joined_slice(7, 1000, 2500) == no_slice);
  CHECK(joined_slice(7, 0, 1000) == no_slice);
  CHECK(joined_slice(no_slice, 1000, 1000) == no_slice);
  LiveDescription live = description();
  live.header.slice_width = ~std::uint64_t{0};
  live.samples({{0x51011, 0, 4, 2, 0, 3}}, {.slot = 0, .edition = 1, .slice_width = 1'000'000});
  const Sidecar sidecar = collected(live);
  CHECK(sidecar.sample_parts == std::vector<SidecarPart>{{0, 0, no_slice, 4, 2}});
  CHECK(sidecar.slice_width == 0);
}

TEST_CASE("live parts: what is replaced while it is read is read again") {
  LiveDescription live = description();
  live.samples({{0x51011, 0, 4, 2, 0, 3}}, {.slot = 0, .edition = 1, .slice_width = 1'000'000});
  const auto before = build_live(live);
  LiveDescription later = description();
  later.header.replacements = 1;
  later.samples({{0x51011, 0, 9, 2, 0, 3}}, {.slot = 0, .edition = 2, .slice_width = 2'000'000});
  const auto after = build_live(later);
  int reads = 0;
  int changes_after = 3;
  const LiveSource source = {
      [&](std::uint64_t offset, std::uint64_t size) {
        const auto& bytes = reads++ < changes_after ? before : after;
        return Expected<std::span<const std::byte>>(std::span(bytes).subspan(offset, size));
      },
      [](std::uint64_t offset) { return offset; }};
  const auto counters = read_live(source, before.size(), "gmon.live.1");
  REQUIRE(counters);
  REQUIRE(counters->samples.size() == 1);
  CHECK(counters->samples[0].count == 9);
}

TEST_CASE("live parts: waits have their thread and time, and locks who held them") {
  LiveDescription live = description();
  live.module({0x7000'0000, 0x7000'0000, 0x7001'0000, 0x7000'1000, 0x7000'8000, 0, 0, still_loaded,
               0, "\x02", "libgprof_runtime.so.0", "/opt/libgprof_runtime.so.0"});
  live.wait_functions({"read", "pthread_mutex_lock"});
  // A thread begins in the collector; the same stack is in two slots.
  live.stacks({{0, 0, false, {0x51011, 0x51020}, 0}, {0, 0, false, {0x51021}, 1}}, 0);
  live.stacks({{0, 0, false, {0x51011, 0x51020, 0x7000'2000}, 4}, {0, 0, false, {0x51031}, 5}}, 1);
  // Stack, thread, slice, function, kind; nanoseconds, times, longest.
  live.waits({{0, 0, 2, 1, 1, 700, 2, 600}, {7, 0, 0, 1, 1, 100, 1, 100}},
             {.slot = 0, .edition = 2, .slice_width = 1'000'000});
  live.waits({{0, 0, 2, 1, 1, 5, 1, 5}}, {.slot = 0, .edition = 1, .slice_width = 1'000'000});
  live.waits({{4, 2, 3, 1, 1, 300, 1, 300}, {5, 1, 0, 0, 2, 50, 1, 50}, {5, 1, 0, 9, 77, 9, 1, 9}},
             {.slot = 1, .edition = 1, .slice_width = 2'000'000});
  live.wait_holders({{0, 1, 0, 1, 500, 2}, {7, 1, 0, 1, 100, 1}}, {.slot = 0});
  live.wait_holders({{4, 1, 0, 1, 200, 1}}, {.slot = 1});
  const Sidecar sidecar = collected(live);
  CHECK(sidecar.stacks.empty());
  CHECK(sidecar.wait_stacks ==
        std::vector<SidecarStack>{{1000, false, {{0, {0x1011}}, {0, {0x1020}}}},
                                  {59, false, {{0, {0x1031}}}},
                                  {0, false, {{0, {0x1021}}}}});
  CHECK(sidecar.waits == std::vector<SidecarWait>{{0, WaitKind::lock, 3, 1000, 600, 2},
                                                  {1, WaitKind::io, 1, 50, 50, 1},
                                                  {1, WaitKind::other, 1, 9, 9, 0}});
  CHECK(sidecar.names == std::vector<std::string>{"", "read", "pthread_mutex_lock"});
  CHECK(sidecar.wait_parts ==
        std::vector<SidecarPart>{
            {0, 0, 1, 700, 2}, {0, 2, 3, 300, 1}, {1, 1, 0, 50, 1}, {2, 1, 0, 9, 1}});
  CHECK(sidecar.wait_holders == std::vector<SidecarHolder>{{0, 2, 3, 700}});
  CHECK(sidecar.slices == 4);
}
