// Collector files made to be expensive: what is read grows only as fast as the file.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/gmon/collected_profile.h"
#include "engine/gmon/live_counters.h"
#include "engine/gmon/live_reader.h"
#include "engine/gmon/reader.h"
#include "tests/support/gmon_builder.h"
#include "tests/support/live_builder.h"

using namespace gprof;
using namespace gprof::test;

TEST_CASE("amplification: live counters are as many as the chunks of the file hold") {
  const auto counts_of = [](std::size_t calls) {
    LiveDescription live;
    std::vector<LiveDescription::Call> all;
    for (std::size_t i = 0; i < calls; ++i) all.push_back({0x1000 + i, 0x2000, 1, 0, 0});
    live.arcs(0, all);
    const auto bytes = build_live(live);
    const auto counters = read_live_counters(bytes, "gmon.live.1");
    REQUIRE(counters);
    CHECK(counters->calls.size() * 32 <= bytes.size());
    return counters->calls.size();
  };
  const std::size_t once = counts_of(1000);
  CHECK(once == 1000);
  CHECK(counts_of(2000) == 2 * once);
}

TEST_CASE("amplification: what is no chunk of live counters is not looked through without end") {
  const auto beginning = build_live(LiveDescription());
  constexpr std::uint64_t page = 4096;
  const std::vector<std::byte> zeros(page);
  std::uint64_t reads = 0;
  // As on a file system without support for holes.
  const LiveSource source = {
      [&](std::uint64_t offset, std::uint64_t size) -> Expected<std::span<const std::byte>> {
        ++reads;
        const std::span<const std::byte> bytes =
            offset < beginning.size() ? std::span(beginning).subspan(offset) : std::span(zeros);
        REQUIRE(size <= bytes.size());
        return bytes.first(size);
      },
      [](std::uint64_t offset) { return offset; }};
  const auto counters = read_live(source, std::uint64_t{60} << 30, "gmon.live.1");
  REQUIRE(counters);
  REQUIRE(counters->warnings.size() == 1);
  CHECK_THAT(counters->warnings[0].message, Catch::Contains("a chunk expected within"));
  CHECK(reads <= (std::uint64_t{3} << 30) / page);
}

TEST_CASE(
    "amplification: histograms that lie upon one another hold no more bins than were written") {
  const auto bins_of = [](std::uint64_t records) {
    GmonBytes bytes({});
    append_gnu_header(bytes, 1, std::nullopt);
    for (std::uint64_t i = 0; i < records; ++i) {
      append_gnu_histogram(
          bytes, {4 * i, 4 * i + 40, std::vector<std::uint16_t>(10, 1), 100, "seconds", 's', {}});
    }
    const auto profile = read_gmon(bytes.bytes(), "gmon.out", {});
    REQUIRE(profile);
    std::size_t bins = 0;
    for (const Histogram& histogram : profile->histograms) bins += histogram.bins.size();
    CHECK(2 * bins <= bytes.bytes().size());
    return bins;
  };
  const std::size_t once = bins_of(10'000);
  CHECK(bins_of(20'000) <= 2 * once);
}

TEST_CASE("amplification: samples all over an absurd text take memory in proportion to them") {
  LiveDescription live;
  live.module({0, 1, ~std::uint64_t{0}, 1, ~std::uint64_t{0}, 1, 0, still_loaded,
               module_flags::main, "0123456789", "program", "/opt/program"});
  std::vector<LiveDescription::Sample> samples;
  for (std::uint64_t i = 0; i < 100'000; ++i) samples.push_back({i << 44 | 1, 0, 1});
  samples.push_back({~std::uint64_t{0} - 3, 0, 1});
  live.samples(samples);
  const auto counters = read_live_counters(build_live(live), "gmon.live.4711");
  REQUIRE(counters);
  const auto collected = collect_profile(*counters, {});
  REQUIRE(collected);
  std::uint64_t counted = 0;
  std::size_t bins = 0;
  for (const Histogram& histogram : collected->modules[0].profile.histograms) {
    bins += histogram.bins.size();
    for (const auto bin : histogram.bins) counted += bin;
  }
  CHECK(counted == 100'001);
  CHECK(bins <= 32 * samples.size());
}
