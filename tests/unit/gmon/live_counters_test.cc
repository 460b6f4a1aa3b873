#include "engine/gmon/live_counters.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <system_error>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/gmon/collected_profile.h"
#include "engine/gmon/live_reader.h"
#include "engine/support/input_file.h"
#include "tests/support/gmon_builder.h"
#include "tests/support/live_builder.h"
#include "tests/support/process.h"
#include "tests/support/skipped_tests.h"
#include "tests/support/test_seed.h"

using namespace gprof;
using namespace gprof::test;

namespace {

// One chunk of every kind.
LiveDescription every_kind() {
  LiveDescription live;
  live.header.epoch = 2;
  live.module({0x50000, 0x50000, 0x60000, 0x51000, 0x58000, 0x51000, 0, still_loaded,
               module_flags::main | module_flags::profiled, "\x01\x02\x03", "program",
               "/opt/program"});
  live.module({0x70000, 0x70000, 0x78000, 0x70400, 0x70800, 0x70400, 1, 1, module_flags::profiled,
               "", "libone.so", "/opt/libone.so"});
  live.threads({{4711, 0, false, 1, 0, 5, 4, 1000}, {}, {4712, 1, true, 0, 9, 6, 6, 2000}});
  live.arcs(0, {{0x51010, 0x51100, 7}, {}, {0x51010, 0x51200, 8}});
  live.arcs(1, {{0x51010, 0x51100, 9}});
  live.through_arcs(0, {{0x90000, 0x51300, 3, 0x51020, 0x90010}, {0x90000, 0x51300, 4}});
  live.retired_arcs(0, 1, {{0x70410, 0x70500, 5}});
  live.retired_through_arcs(0, 1, {{0x90000, 0x70500, 6, 0x70420, 0x90010}});
  live.samples({{0x51011, 2, 3, 6}, {}, {0x70411, 1, 4}, {0x51011, 2, 5, 20}});
  live.stacks({{3, 2, false, {0x51011, 0x51020}}, {4, 1, true, {0x70411}}});
  live.block_counts(still_loaded, 0x50000, {{0x410, 11}, {0x411, 12}});
  live.block_counts(1, 0x70000, {{0x100, 13}});
  live.block_places(still_loaded, {{0x5103c, 0x51041}, {0x5104c, 0x51051}});
  return live;
}

LiveCounters read(const LiveDescription& description) {
  auto live = read_live_counters(build_live(description), "gmon.live.4711");
  REQUIRE(live);
  return *live;
}

Error read_error(const std::vector<std::byte>& bytes) {
  const auto live = read_live_counters(bytes, "gmon.live.4711");
  REQUIRE_FALSE(live);
  CHECK(live.error().path == "gmon.live.4711");
  return live.error();
}

std::uint64_t all_calls(const LiveCounters& live) {
  std::uint64_t sum = 0;
  for (const LiveCall& call : live.calls) sum += call.count;
  return sum;
}

}  // namespace

TEST_CASE("live counters: the header tells of the process") {
  LiveDescription description;
  auto& header = description.header;
  header.machine = 183;
  header.flags = process_flags::incomplete;
  header.end_time = 2000;
  header.state = 2;
  header.ending = 3;
  header.exit_status = static_cast<std::uint32_t>(-6);
  header.image_number = 4;
  header.lost_calls = 5;
  header.lost_samples = 6;
  header.lost_stacks = 7;
  header.price = 8;
  header.epoch = 9;
  header.name = "profiles/run.4711";
  const LiveCounters live = read(description);
  CHECK(live.machine == 183);
  CHECK(live.flags == process_flags::incomplete);
  CHECK(live.process == 4711);
  CHECK(live.parent_process == 1);
  CHECK(live.process_start == 99);
  CHECK(live.start_time == 1000);
  CHECK(live.end_time == 2000);
  CHECK(live.state == LiveState::written);
  CHECK(live.ending == Ending::aborted);
  CHECK(live.exit_status == -6);
  CHECK(live.requested_rate == 250);
  CHECK(live.sample_source == SampleSource::thread_timers);
  CHECK(live.image_number == 4);
  CHECK(live.lost_calls == 5);
  CHECK(live.lost_samples == 6);
  CHECK(live.lost_stacks == 7);
  CHECK(live.price_picoseconds == 8);
  CHECK(live.epoch == 9);
  CHECK(live.name == "profiles/run.4711");
  CHECK(live.warnings.empty());
}

TEST_CASE("live counters: every kind of chunk is read, and equal entries are one") {
  const LiveCounters live = read(every_kind());
  REQUIRE(live.modules.size() == 2);
  CHECK(live.modules[0].path == "/opt/program");
  CHECK(live.modules[0].build_id == std::vector{std::byte{1}, std::byte{2}, std::byte{3}});
  CHECK(live.modules[1].soname == "libone.so");
  CHECK(live.modules[1].unload_epoch == 1);
  REQUIRE(live.threads.size() == 2);
  CHECK(live.threads[1].thread == 4712);
  CHECK(live.threads[1].ended);
  CHECK(live.threads[1].calls == 9);
  CHECK(live.calls_of_slot == std::map<std::uint32_t, std::uint64_t>{{0, 33}, {1, 9}});
  // One of the pairs was called by both threads.
  REQUIRE(live.calls.size() == 7);
  const auto found = std::find_if(live.calls.begin(), live.calls.end(),
                                  [](const LiveCall& call) { return call.self == 0x51100; });
  REQUIRE(found != live.calls.end());
  CHECK(found->count == 7);
  CHECK(found->thread == 0);
  CHECK(found->epoch == 2);
  CHECK(found[1].self == 0x51100);
  CHECK(found[1].count == 9);
  CHECK(found[1].thread == 1);
  CHECK(live.calls.front().epoch == 1);
  REQUIRE(live.samples.size() == 2);
  CHECK(live.samples[0].count == 4);
  CHECK(live.samples[1].count == 8);
  CHECK(live.samples[0].excess_variance == 0);
  CHECK(live.samples[1].excess_variance == 26);
  REQUIRE(live.stacks.size() == 2);
  CHECK(live.stacks[0].frames == std::vector<std::uint64_t>{0x51011, 0x51020});
  CHECK(live.stacks[1].truncated);
  REQUIRE(live.block_counts.size() == 3);
  CHECK(live.block_counts[0].address == 0x70400);
  CHECK(live.block_counts[1].address == 0x51040);
  CHECK(live.block_counts[1].epoch == 2);
  REQUIRE(live.block_places.size() == 2);
  CHECK(live.warnings.empty());
}

TEST_CASE("live counters: entries that are not complete are left out") {
  LiveDescription description = every_kind();
  const LiveCounters before = read(description);
  constexpr std::uint64_t retired = 1;
  description.arcs(0,
                   {{0, 0x51100, 7}, {retired, 0x51100, 7}, {0x51010, 0, 7}, {0x51010, 0x51100}});
  description.through_arcs(0, {{0, 0x51100, 7}, {retired, 0x51100, 7}, {0x90000, 0, 7}});
  description.samples({{0x51011, 2, 0}});
  description.stacks({{0, 2, false, {0x51011}}});
  description.threads({{0, 1, true, 0, 5}});
  description.module({0, 0x1000, 0x2000, 0, 0, 0, 0, 0, 0, "", "half", "/half"}, 0);
  description.module({0, 0x2000, 0x2000, 0, 0, 0, 0, 0, 0, "", "empty", "/empty"});
  const LiveCounters after = read(description);
  CHECK(after.calls.size() == before.calls.size());
  CHECK(all_calls(after) == all_calls(before));
  CHECK(after.samples.size() == before.samples.size());
  CHECK(after.stacks.size() == before.stacks.size());
  CHECK(after.threads.size() == before.threads.size());
  CHECK(after.modules.size() == before.modules.size());
}

TEST_CASE("live counters: chunks in the making, gaps and unknown kinds are passed over") {
  LiveDescription description;
  description.chunks.resize(2 * 4096);  // not handed out
  LiveDescription::ChunkHeader making;
  making.capacity = 4;
  GmonBytes entry({});
  entry.word(0x51010).word(0x51100).word(7).word(0);
  description.chunk(making, entry.bytes());
  making.announced_size = 0;
  description.chunk(making, entry.bytes());
  making.announced_size = 4097;
  description.chunk(making, entry.bytes());
  LiveDescription::ChunkHeader newer;
  newer.kind = 99;
  newer.capacity = 1;
  description.chunk(newer, entry.bytes());
  LiveDescription::ChunkHeader without_magic;
  without_magic.kind = 2;
  without_magic.capacity = 1;
  without_magic.magic = "";
  description.chunk(without_magic, entry.bytes());
  description.arcs(3, {{0x51010, 0x51100, 7}});
  const LiveCounters live = read(description);
  CHECK(all_calls(live) == 7);
  CHECK(live.calls_of_slot.at(3) == 7);
  CHECK(live.warnings.empty());
}

TEST_CASE("live counters: a chunk's sizes are held against the file") {
  GmonBytes entry({});
  entry.word(0x51010).word(0x51100).word(7).word(0);
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{4097},
                                   std::uint64_t{1} << 60, ~std::uint64_t{0}}) {
    LiveDescription description;
    LiveDescription::ChunkHeader header;
    header.kind = 2;
    header.capacity = 1;
    header.announced_size = size;
    description.chunk(header, entry.bytes()).arcs(0, {{0x51010, 0x51100, 8}});
    const LiveCounters live = read(description);
    CAPTURE(size);
    CHECK(all_calls(live) == 8);
    REQUIRE(live.warnings.size() == 1);
    CHECK(live.warnings[0].offset == 4096);
  }
  // The existing part of a chunk truncated by the end of the file is used.
  LiveDescription cut;
  LiveDescription::ChunkHeader header;
  header.kind = 2;
  header.capacity = ~std::uint64_t{0};
  header.announced_size = 1 << 20;
  cut.chunk(header, entry.bytes());
  CHECK(all_calls(read(cut)) == 7);
  CHECK(read(cut).warnings.size() == 1);
  for (const std::uint32_t kind : {1U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 10U}) {
    LiveDescription large;
    header.kind = kind;
    header.used = ~std::uint64_t{0};
    header.announced_size = {};
    large.chunk(header, entry.bytes());
    CAPTURE(kind);
    CHECK(read(large).warnings.empty());
  }
}

TEST_CASE("live counters: stacks end where they are used up or make no sense") {
  LiveDescription description;
  GmonBytes bytes({});
  bytes.word(3).word(0).u32(1).u32(0).word(0x1234);
  bytes.word(5).word(0).u32(2).u32(0).word(0x1234);  // the second frame has not been written yet
  LiveDescription::ChunkHeader header;
  header.kind = 5;
  header.used = bytes.bytes().size();
  description.chunk(header, bytes.bytes());
  header.used = 0;
  description.chunk(header, bytes.bytes());
  header.used = 4096;
  description.chunk(header, GmonBytes({}).word(3).word(0).u32(0xffff'ffff).u32(0).bytes());
  description.chunk(header, GmonBytes({}).word(3).word(0).u32(0).u32(0).bytes());
  const LiveCounters live = read(description);
  REQUIRE(live.stacks.size() == 1);
  CHECK(live.stacks[0].count == 3);
}

TEST_CASE("live counters: wide counts add up and do not wrap") {
  LiveDescription description;
  description.arcs(0, {{0x10, 0x20, 5'000'000'000}, {0x10, 0x20, 6'000'000'000}});
  description.arcs(1, {{0x10, 0x30, ~std::uint64_t{0}}, {0x10, 0x30, 2}});
  const LiveCounters live = read(description);
  REQUIRE(live.calls.size() == 2);
  CHECK(live.calls[0].count == 11'000'000'000);
  CHECK(live.calls[1].count == ~std::uint64_t{0});
  CHECK(live.calls_of_slot.at(1) == ~std::uint64_t{0});
}

TEST_CASE("live counters: very many entries of many threads are summed up on the way") {
  LiveDescription description;
  std::vector<LiveDescription::Call> calls;
  for (std::uint64_t i = 0; i < 100'000; ++i) calls.push_back({0x1000 + i, 0x2000 + i / 3, 1});
  for (std::uint32_t slot = 0; slot < 16; ++slot) description.arcs(slot, calls);
  const LiveCounters live = read(description);
  REQUIRE(live.calls.size() == calls.size());
  CHECK(std::all_of(live.calls.begin(), live.calls.end(),
                    [](const LiveCall& call) { return call.count == 16; }));
}

TEST_CASE("live counters: a file cut anywhere gives what is there") {
  const auto bytes = build_live(every_kind());
  const LiveCounters whole = read(every_kind());
  // Every byte of the header and the first chunks, then around every chunk boundary.
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size < 3 * 4096; ++size) sizes.push_back(size);
  for (std::size_t size = 3 * 4096; size <= bytes.size(); size += 61) sizes.push_back(size);
  for (const std::size_t size : sizes) {
    const auto live = read_live_counters(std::span(bytes).first(size), "gmon.live.4711");
    CAPTURE(size);
    if (size < 2048) {
      REQUIRE_FALSE(live);
      CHECK(live.error().code == ErrorCode::truncated);
      continue;
    }
    REQUIRE(live);
    CHECK(all_calls(*live) <= all_calls(whole));
    CHECK(live->modules.size() <= whole.modules.size());
    const auto collected = collect_profile(*live, {});
    CHECK(collected.has_value() == !live->modules.empty());
  }
}

TEST_CASE("live counters: any damage is an error or a profile that can be written") {
  const auto bytes = build_live(every_kind());
  std::vector<std::size_t> telling;  // nonzero bytes and those after them
  for (std::size_t i = 0; i + 8 < bytes.size(); ++i) {
    if (bytes[i] != std::byte{0}) telling.insert(telling.end(), {i, i + 1, i + 7});
  }
  std::mt19937 random(test_seed(4711));
  for (int round = 0; round < 3000; ++round) {
    auto damaged = bytes;
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < changes; ++i) {
      const std::size_t place = telling[random() % telling.size()];
      damaged[place] = static_cast<std::byte>(random() % 256);
    }
    const auto live = read_live_counters(damaged, "gmon.live.4711");
    if (!live) {
      CHECK_FALSE(live.error().message.empty());
      continue;
    }
    const auto collected = collect_profile(*live, {});
    if (!collected) continue;
    const auto sidecar = write_sidecar(collected->sidecar);
    if (!sidecar) FAIL(sidecar.error().message);
    const auto again = read_sidecar(*sidecar, "gmon.out.gpx");
    if (!again) FAIL(again.error().message);
    if (!(*again == collected->sidecar)) FAIL("the sidecar survives, round " << round);
  }
}

TEST_CASE("live counters: other files and other versions are told apart") {
  LiveDescription description = every_kind();
  description.header.magic = "gprofgpx";
  CHECK(read_error(build_live(description)).code == ErrorCode::wrong_format);
  description.header.magic = "";  // the process had no time to fill in the header
  CHECK(read_error(build_live(description)).code == ErrorCode::wrong_format);
  description.header.magic = "gprofliv";
  description.header.version = gprof_formats::live_version + 1;
  CHECK(read_error(build_live(description)).code == ErrorCode::unsupported);
  description.header.version = 1;
  description.header.header_size = 100;
  CHECK(read_error(build_live(description)).code == ErrorCode::corrupt);
  description.header.header_size = 0xffff'ffff;
  CHECK(read(description).modules.empty());
}

TEST_CASE("live counters: a file is read as its bytes are") {
  const auto path = work_directory() / "gmon.live.4711";
  const auto bytes = build_live(every_kind());
  std::ofstream stream(path, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  stream.close();
  const auto live = read_live_counters_file(path);
  REQUIRE(live);
  const LiveCounters expected = read(every_kind());
  CHECK(all_calls(*live) == all_calls(expected));
  CHECK(live->stacks.size() == expected.stacks.size());
  CHECK(live->block_counts.size() == expected.block_counts.size());
  std::filesystem::remove(path);
  const auto missing = read_live_counters_file(path);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::not_found);
}

namespace {

// A file of that size: the bytes, followed by a hole. `largest` is the largest single read.
LiveSource with_hole(const std::vector<std::byte>& bytes, std::uint64_t file_size,
                     std::size_t& reads, std::uint64_t& largest) {
  return {[&](std::uint64_t offset, std::uint64_t size) -> Expected<std::span<const std::byte>> {
            static const std::vector<std::byte> zeros(4096);
            ++reads;
            largest = std::max(largest, size);
            const std::span<const std::byte> from = offset < bytes.size()
                                                        ? std::span(bytes).subspan(offset)
                                                        : std::span<const std::byte>(zeros);
            return from.first(std::min<std::uint64_t>(size, from.size()));
          },
          [&bytes, file_size](std::uint64_t offset) {
            return offset < bytes.size() ? offset : file_size;
          }};
}

}  // namespace

TEST_CASE("live counters: a hole is passed over at once, however large it is") {
  const auto bytes = build_live(every_kind());
  constexpr std::uint64_t file_size = std::uint64_t{20} << 30U;
  std::size_t reads = 0;
  std::uint64_t largest = 0;
  const auto live =
      read_live(with_hole(bytes, file_size, reads, largest), file_size, "gmon.live.4711");
  REQUIRE(live);
  CHECK(all_calls(*live) == all_calls(read(every_kind())));
  CHECK(reads <= 2 + 2 * bytes.size() / 4096);
}

TEST_CASE("live counters: a chunk that claims a hole is read as far as it was written") {
  auto bytes = build_live(every_kind());
  constexpr std::uint64_t claimed = std::uint64_t{1} << 30U;
  // The size in the header of the last chunk.
  for (std::size_t i = 0; i < sizeof claimed; ++i) {
    bytes[bytes.size() - 4096 + 16 + i] = static_cast<std::byte>(claimed >> (8 * i));
  }
  const std::uint64_t file_size = bytes.size() + claimed;
  std::size_t reads = 0;
  std::uint64_t largest = 0;
  CHECK(read_live(with_hole(bytes, file_size, reads, largest), file_size, "gmon.live.4711"));
  CHECK(largest <= bytes.size());
}

TEST_CASE("live counters: a sparse file says where its holes are") {
  const auto path = work_directory() / "gmon.live.4712";
  const auto bytes = build_live(every_kind());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  constexpr std::uint64_t size = std::uint64_t{20} << 30U;
  std::error_code failed;
  std::filesystem::resize_file(path, size, failed);
  if (failed) {
    gprof::test::skip_test("no sparse file of 20 GiB can be made here");
    return;
  }
  const auto file = InputFile::open(path);
  REQUIRE(file);
  CHECK(file->is_sparse());
  CHECK(file->next_data(0) == 0);
  CHECK(file->next_data(size) == size);
  if (file->next_data(size / 2) == size) {
    const auto live = read_live_counters_file(*file);
    REQUIRE(live);
    CHECK(all_calls(*live) == all_calls(read(every_kind())));
  } else {
    gprof::test::skip_test("this file system does not say where its holes are");
  }
  std::filesystem::remove(path);
}
