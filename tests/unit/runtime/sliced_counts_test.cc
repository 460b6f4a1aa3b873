// Counts by thread and slice of time: however long a run is, nothing is lost, and the tables stay
// as large as they are.
#include "runtime/sampling/sliced_counts.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <tuple>

#include <catch2/catch.hpp>

#include "runtime/output/live_walk.h"
#include "tests/support/test_seed.h"

namespace {

using namespace gprof_runtime;
using namespace gprof_runtime::sampler;

constexpr std::uint64_t millisecond = 1'000'000;
constexpr std::uint64_t one_second = 1000 * millisecond;

// A process of its own, whose run begins now.
void begin_run() {
  live::abandon();
  abandon_sliced_counts();
  REQUIRE(live::start());
  live::remove_file();
  live::header()->slice_width = first_slice_width;
}

struct Counter {
  SlicedTable table = {};
  std::uint32_t slot = 0;

  void count(std::uint64_t place, std::uint32_t thread, std::uint64_t elapsed) {
    const SampleEntry sample = {place, 0, thread, no_slice, 1, 2, 1};
    bool is_new = false;
    REQUIRE(count_in_slice(table, ChunkKind::samples, slot, sample, elapsed, &is_new));
  }
};

using Key = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;  // place, thread, slice
std::map<Key, std::uint64_t> counts_of_tables(std::uint64_t width) {
  std::map<Key, std::uint64_t> counts;
  each_valid_table(ChunkKind::samples, [&](ChunkHeader* chunk) {
    const auto* entries = live::entries<SampleEntry>(chunk);
    for (std::uint64_t i = 0; i < chunk->capacity; ++i) {
      const SampleEntry& entry = entries[i];
      if (entry.count == 0) continue;
      CHECK(entry.excess_variance == 2 * entry.count);
      CHECK(entry.kernel_count == entry.count);
      const std::uint32_t slice = joined_slice(entry.slice, slice_width_of(*chunk), width);
      counts[{entry.address, entry.thread, slice}] += entry.count;
    }
  });
  return counts;
}

std::uint64_t bytes_of_tables() {
  std::uint64_t bytes = 0;
  each_chunk(ChunkKind::samples, [&](ChunkHeader* chunk) { bytes += chunk->size; });
  return bytes;
}

}  // namespace

TEST_CASE("runtime: samples are counted by place, thread and slice, as slices become wider") {
  begin_run();
  Counter counters[2];
  counters[1].slot = 1;
  std::mt19937_64 random(gprof::test_seed(1));
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint64_t>, std::uint64_t> samples;
  std::uint64_t time = 0;
  for (int i = 0; i < 60'000; ++i) {
    time += random() % (2 * millisecond);
    // The second thread's tables are sometimes left behind by several widths.
    const std::uint32_t which = i % 20'000 < 10'000 ? 0 : static_cast<std::uint32_t>(random() % 2);
    const std::uint32_t thread = which * 2 + static_cast<std::uint32_t>(i / 30'000);
    const std::uint64_t place = 0x1000 + random() % 20;
    counters[which].count(place, thread, time);
    ++samples[{place, thread, time}];
  }
  const std::uint64_t width = live::header()->slice_width;
  CHECK(time / width < most_slices);
  CHECK(time / width >= most_slices / 2);
  std::map<Key, std::uint64_t> expected;
  for (const auto& [key, count] : samples) {
    const auto& [place, thread, when] = key;
    expected[{place, thread, static_cast<std::uint32_t>(when / width)}] += count;
  }
  CHECK(counts_of_tables(width) == expected);
}

TEST_CASE("runtime: a week takes no more than an hour") {
  std::uint64_t bytes[2] = {};
  for (const bool week : {false, true}) {
    begin_run();
    Counter counter;
    const std::uint64_t length = week ? 7 * 24 * 3600 * one_second : 3600 * one_second;
    constexpr std::uint64_t samples = 400'000;
    for (std::uint64_t i = 0; i < samples; ++i) {
      counter.count(0x1000 + i * 7 % 16, 0, length / samples * i);
    }
    std::uint64_t total = 0;
    for (const auto& [key, count] : counts_of_tables(live::header()->slice_width)) total += count;
    CHECK(total == samples);
    CHECK(counter.table.used <= 16 * most_slices);
    bytes[week ? 1 : 0] = bytes_of_tables();
  }
  CHECK(bytes[1] <= bytes[0] * 5 / 4);
}

TEST_CASE("runtime: where there is too much of everything, slices become wider") {
  begin_run();
  Counter counter;
  // Each sample is elsewhere.
  constexpr std::uint64_t samples = 1'500'000;
  for (std::uint64_t i = 0; i < samples; ++i) {
    counter.count(0x1000 + i % 3000, 0, i * millisecond);
  }
  CHECK(bytes_of_tables() < 3 * most_table_bytes);
  CHECK(samples * millisecond / live::header()->slice_width >= fewest_slices / 2);
  std::uint64_t total = 0;
  for (const auto& [key, count] : counts_of_tables(live::header()->slice_width)) total += count;
  CHECK(total == samples);
}

TEST_CASE("runtime: one table is valid at any time, and it has everything") {
  begin_run();
  Counter counter;
  std::uint64_t counted = 0;
  for (std::uint64_t i = 0; i < 12'000; ++i) {
    counter.count(0x1000, 0, i * 2 * millisecond);
    ++counted;
    int valid = 0;
    std::uint64_t total = 0;
    each_valid_table(ChunkKind::samples, [&](ChunkHeader* chunk) {
      ++valid;
      const auto* entries = live::entries<SampleEntry>(chunk);
      for (std::uint64_t j = 0; j < chunk->capacity; ++j) total += entries[j].count;
    });
    if (valid != 1 || total != counted) FAIL(valid << " tables with " << total);
  }
  CHECK(live::header()->replacements > 0);
}

TEST_CASE("runtime: time that is not known has no slice") {
  begin_run();
  live::header()->slice_width = 0;
  Counter counter;
  counter.count(0x1000, 0, unknown_time);
  counter.count(0x1000, 0, 5 * one_second);
  CHECK(counts_of_tables(0) == std::map<Key, std::uint64_t>{{{0x1000, 0, no_slice}, 2}});
}

TEST_CASE("runtime: the time line begins when the process did") {
  begin_run();
  start_timeline();
  const std::uint64_t first = elapsed_time();
  const std::uint64_t next = elapsed_time();
  CHECK(first <= next);
  CHECK(next < 60 * one_second);
  // Older than it is.
  live::header()->start_time -= 5 * one_second;
  start_timeline();
  CHECK(elapsed_time() >= 5 * one_second);
  CHECK(elapsed_time() < 65 * one_second);
}
