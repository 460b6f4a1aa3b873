// perf.data, of files made by hand: both byte orders, pipes, compressed records, damage.
#include "engine/import/perf_data/perf_data.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <zstd.h>

#include "engine/analysis/samples.h"
#include "tests/support/converted_recording.h"
#include "tests/support/perf_data_builder.h"
#include "tests/unit/analysis/imported_program.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr std::uint64_t base = 0x7f0000000000;
constexpr std::uint64_t of_kernel = 0xffffffff81000000;
constexpr std::uint64_t kernel_mark = static_cast<std::uint64_t>(-128);
constexpr std::uint64_t user_mark = static_cast<std::uint64_t>(-512);

struct Recorded {
  Imported imported;
  Warnings warnings;

  explicit Recorded(const std::string& name) : imported(name) {}

  [[nodiscard]] std::uint64_t in_process(std::string_view function) const {
    return imported.in_process(function, base);
  }
  // Process 7 runs the program, with threads 7 and 8, and forks 9: 6 samples, one of the kernel.
  [[nodiscard]] PerfDataBuilder recording(ByteOrder order) const {
    PerfDataBuilder builder(order, {{}, {0, 1, 0, "instructions:u"}});
    const std::uint64_t leaf = in_process("leaf") + 1;
    const std::uint64_t main = in_process("main") + 9;
    const std::vector<std::uint64_t> chain = {user_mark, leaf, main};
    builder.sample(0, 7, 7, 100, leaf, 1'000'000, chain);
    builder.name(7, 7, "prog");
    builder.name(7, 8, "worker");
    builder.map(7, base, 0x100000, 0, imported.built.program.string(), 50);
    builder.sample(0, 7, 8, 200, leaf, 1'000'000, chain);
    builder.fork(7, 9, 250);
    builder.sample(0, 9, 9, 300, leaf, 1'000'000, chain);
    builder.sample(0, 7, 7, 400, of_kernel, 1'000'000,
                   {kernel_mark, of_kernel, of_kernel + 64, user_mark, leaf, main});
    builder.sample(1, 7, 7, 500, leaf, 700, chain);
    builder.sample(1, 7, 7, 600, main, 300, {user_mark, main});
    return builder;
  }
  Expected<ImportedProfile> read(const std::vector<std::byte>& bytes) {
    const ImportTarget target{
        imported.program->symbols(), imported.program->code(), imported.program->image().path(),
        [](SymbolIndex, std::string_view) { return std::vector<LineCode>(); }};
    return converted_recording(perf_data::PerfBytes(bytes, "perf.data"), target,
                               imported.program->image(), warnings);
  }
  void check(const std::vector<std::byte>& bytes) {
    const auto read_it = read(bytes);
    if (!read_it) FAIL(describe(read_it.error()));
    for (const Error& warning : warnings) FAIL_CHECK(describe(warning));
    const ImportedProfile& clock = *read_it;
    CHECK(clock.metric.name == "cpu-clock");
    CHECK(clock.raw.rate == 1000);
    REQUIRE(clock.sidecar);
    const Sidecar& sidecar = *clock.sidecar;
    REQUIRE(sidecar.threads.size() == 3);
    CHECK(sidecar.threads[0].name == "prog");
    CHECK(sidecar.threads[1].name == "worker");
    CHECK(sidecar.threads[2].process == 9);
    REQUIRE(sidecar.modules.size() == 2);
    CHECK(sidecar.modules[1].path == "kernel");
    REQUIRE(sidecar.stacks.size() == 2);
    CHECK(sidecar.stacks[0].count == 3);
    CHECK(sidecar.stacks[0].frames ==
          std::vector<ModuleAddress>{{0, {imported.address("leaf") + 1}},
                                     {0, {imported.address("main") + 9}}});
    CHECK(sidecar.stacks[1].frames.size() == 3);
    CHECK(sidecar.stacks[1].frames[0] == ModuleAddress{1, {}});
    REQUIRE(clock.others.size() == 1);
    const ImportedProfile& instructions = clock.others[0];
    CHECK(instructions.metric.name == "instructions:u");
    CHECK(instructions.sidecar->process.samples == 1000);
  }
};

std::vector<std::byte> compressed(const std::vector<std::byte>& records) {
  std::vector<std::byte> packed(ZSTD_compressBound(records.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), records.data(), records.size(), 1));
  // In two pieces, whose ends are inside a record.
  PerfDataBytes bytes(ByteOrder::little);
  const std::size_t half = packed.size() / 2;
  for (const auto piece : {std::span(packed).first(half), std::span(packed).subspan(half)}) {
    bytes.put(std::uint32_t{81}).put(std::uint16_t{0});
    bytes.put(static_cast<std::uint16_t>(8 + piece.size())).add(piece);
  }
  return bytes.bytes();
}

}  // namespace

TEST_CASE("perf.data of both byte orders, as a file and as a pipe") {
  if (!have_programs({"gcc"})) return;
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    Recorded recorded("perf-data-orders");
    recorded.check(recorded.recording(order).file());
    recorded.check(recorded.recording(order).pipe());
  }
}

TEST_CASE("perf.data: weights are a metric beside that of their event") {
  if (!have_programs({"gcc"})) return;
  Recorded recorded("perf-data-weights");
  // The second counter of one event has weights, the first has none.
  PerfDataBuilder builder(
      ByteOrder::little,
      {{0, 3, 0, "loads", false}, {0, 4, 0, "stores", false}, {0, 3, 0, "loads", true}});
  const std::uint64_t leaf = recorded.in_process("leaf") + 1;
  builder.map(7, base, 0x100000, 0, recorded.imported.built.program.string(), 50);
  builder.sample(0, 7, 7, 100, leaf, 10, {});
  builder.sample(1, 7, 7, 200, leaf, 20, {});
  builder.sample(2, 7, 7, 300, leaf, 40, {}, {300});
  const auto read = recorded.read(builder.file());
  if (!read) FAIL(describe(read.error()));
  std::map<std::string, Ticks> totals = {{read->metric.name, total_of(read->raw.histograms)}};
  for (const ImportedProfile& other : read->others) {
    totals[other.metric.name] = total_of(other.raw.histograms);
  }
  CHECK(totals ==
        std::map<std::string, Ticks>{{"loads", 50}, {"loads weight", 300}, {"stores", 20}});
}

TEST_CASE("perf.data: the counters of a group are read with the samples of its leader") {
  if (!have_programs({"gcc"})) return;
  // With times or without, with numbers of lost samples or without, in both byte orders.
  for (const std::uint64_t reads : {4U | 8U, 4U | 8U | 3U, 4U | 8U | 3U | 16U}) {
    for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
      CAPTURE(reads);
      Recorded recorded("perf-data-groups");
      PerfDataBuilder builder(order, {{1, 1, 1'000'000, "task-clock", false, 0, 0, false, reads},
                                      {1, 2, 0, "page-faults", false, 0, 0, false, reads}});
      const std::uint64_t leaf = recorded.in_process("leaf") + 1;
      const std::uint64_t main = recorded.in_process("main") + 9;
      builder.map(7, base, 0x100000, 0, recorded.imported.built.program.string(), 50);
      const auto sample = [&](std::uint64_t time, std::uint64_t ip, std::uint64_t clock,
                              std::uint64_t faults) {
        const std::vector<std::uint64_t> chain =
            ip == main ? std::vector{user_mark, main} : std::vector{user_mark, ip, main};
        builder.sample(0, 7, 7, time, ip, 1'000'000, chain,
                       {.counters = {{0, clock}, {1, faults}}});
      };
      sample(100, leaf, 1'018'082, 3);
      sample(200, main, 2'025'214, 3);
      sample(300, leaf, 3'000'000, 10);
      const auto read = recorded.read(builder.file());
      if (!read) FAIL(describe(read.error()));
      for (const Error& warning : recorded.warnings) FAIL_CHECK(describe(warning));
      CHECK(read->metric.name == "task-clock");
      CHECK(read->metric.unit == "seconds");
      CHECK(read->raw.rate == 1'000'000'000);
      CHECK(count_at(*read, recorded.imported.address("leaf") + 1) == 1'018'082 + 974'786);
      CHECK(count_at(*read, recorded.imported.address("main") + 9) == 1'007'132);
      REQUIRE(read->others.size() == 1);
      CHECK(read->others[0].metric.name == "page-faults");
      CHECK(read->others[0].metric.unit == "page-faults");
      CHECK(count_at(read->others[0], recorded.imported.address("leaf") + 1) == 10);
      CHECK(count_at(read->others[0], recorded.imported.address("main") + 9) == 0);
    }
  }
}

TEST_CASE("perf.data: counters of threads, of one event, and of events that are not known") {
  if (!have_programs({"gcc"})) return;
  Recorded recorded("perf-data-counters");
  const std::uint64_t leaf = recorded.in_process("leaf") + 1;
  const std::vector<std::uint64_t> chain = {user_mark, leaf, recorded.in_process("main") + 9};
  const auto counted = [&](bool inherits, std::uint64_t reads) {
    PerfDataBuilder builder(ByteOrder::little,
                            {{1, 1, 1'000'000, "task-clock", false, 0, 0, false, reads, inherits}});
    builder.map(7, base, 0x100000, 0, recorded.imported.built.program.string(), 50);
    builder.sample(0, 7, 7, 100, leaf, 1, chain, {.counters = {{0, 500}}});
    builder.sample(0, 7, 8, 200, leaf, 1, chain, {.counters = {{0, 700}}});
    builder.sample(0, 7, 7, 300, leaf, 1, chain, {.counters = {{0, 800}}});
    if ((reads & 8) != 0) {
      builder.sample(0, 7, 7, 400, leaf, 1, chain, {.counters = {{0, 900}, {5, 1}}});
    }
    const auto read = recorded.read(builder.file());
    if (!read) FAIL(describe(read.error()));
    return count_at(*read, recorded.imported.address("leaf") + 1);
  };
  CHECK(counted(false, 4) == 800);
  CHECK(counted(true, 4) == 500 + 700 + 300);
  CHECK(counted(false, 4 | 1) == 800);
  CHECK(recorded.warnings.empty());
  CHECK(counted(false, 4 | 8) == 900);
  REQUIRE(recorded.warnings.size() == 1);
  CHECK(recorded.warnings[0].message.starts_with("1 values of counters belong to no event"));
}

TEST_CASE("perf.data whose records are compressed") {
  if (!have_programs({"gcc"})) return;
  Recorded recorded("perf-data-zstd");
  PerfDataBuilder builder = recorded.recording(ByteOrder::little);
  builder.replace_records(compressed(builder.records()));
  recorded.check(builder.file());
  recorded.check(builder.pipe());
}

TEST_CASE("perf.data that is a folder has streams of records") {
  if (!have_programs({"gcc"})) return;
  const Recorded recorded("perf-data-folder");
  const auto& folder = recorded.imported.built.folder;
  std::filesystem::create_directories(folder / "perf.data");
  const std::uint64_t leaf = recorded.in_process("leaf") + 1;
  const auto samples = [&](std::size_t count, bool with_map) {
    PerfDataBuilder builder(ByteOrder::little, {{}});
    if (with_map) {
      builder.map(7, base, 0x100000, 0, recorded.imported.built.program.string(), 50);
    }
    for (std::size_t i = 0; i < count; ++i) {
      builder.sample(0, 7, 7, 100 + i, leaf, 1'000'000,
                     {user_mark, leaf, recorded.in_process("main") + 9});
    }
    return builder;
  };
  const auto self_of_leaf = [&](const std::filesystem::path& path, Warnings& warnings) {
    AnalysisRequest request;
    request.executable = recorded.imported.built.program;
    request.profiles = {path};
    const auto snapshot = analyse(request);
    if (!snapshot) FAIL(describe(snapshot.error()));
    warnings = (*snapshot)->warnings();
    return (*snapshot)->profile().self(recorded.imported.symbol("leaf"));
  };
  write_file(folder / "perf.data" / "data", samples(1, true).file());
  write_file(folder / "perf.data" / "data.0", samples(20, false).records());
  write_file(folder / "perf.data" / "data.1", samples(300, false).records());
  Warnings warnings;
  CHECK(self_of_leaf(folder / "perf.data", warnings) == 321);
  CHECK(self_of_leaf(folder / "perf.data" / "data", warnings) == 321);
  CHECK(warnings.empty());
  const auto program = [&] {
    const auto file = InputFile::open(folder / "perf.data" / "data");
    REQUIRE(file);
    auto bytes = perf_data::PerfBytes::with_streams(*file);
    REQUIRE(bytes);
    return program_of_perf_data(*std::move(bytes));
  }();
  REQUIRE(program);
  REQUIRE(*program);
  CHECK((*program)->path == recorded.imported.built.program.string());

  // Damage to one stream leaves the others whole.
  const auto records = samples(20, false).records();
  write_file(folder / "perf.data" / "data.0", std::span(records).first(records.size() - 4));
  CHECK(self_of_leaf(folder / "perf.data", warnings) == 320);
  REQUIRE_FALSE(warnings.empty());
  CHECK(warnings[0].path == (folder / "perf.data" / "data.0").string());
}

TEST_CASE("perf.data that ends anywhere is shown up to there, with one message that says where") {
  if (!have_programs({"gcc"})) return;
  Recorded recorded("perf-data-truncated");
  const std::vector<std::byte> whole = recorded.recording(ByteOrder::little).file();
  std::uint64_t last = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    recorded.warnings.clear();
    const auto read =
        recorded.read({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    if (!read) {
      CHECK((read.error().offset.has_value() || read.error().code == ErrorCode::mismatch ||
             read.error().code == ErrorCode::no_profile_data));
      CHECK(last == 0);
      continue;
    }
    std::uint64_t samples = read->sidecar->process.samples;
    for (const ImportedProfile& other : read->others) samples += other.sidecar->process.samples;
    CHECK(samples >= last);
    last = samples;
    CHECK(std::count_if(
              recorded.warnings.begin(), recorded.warnings.end(),
              [](const Error& warning) { return warning.code == ErrorCode::truncated; }) == 1);
  }
  CHECK(last == 4 + 1000);
}

TEST_CASE("perf.data with sizes that lie, and records of later versions") {
  if (!have_programs({"gcc"})) return;
  Recorded recorded("perf-data-lies");
  PerfDataBuilder builder = recorded.recording(ByteOrder::little);
  builder.record(63, 0, PerfDataBytes(ByteOrder::little).put(std::uint64_t{1}));
  builder.record(200, 0, PerfDataBytes(ByteOrder::little).put(std::uint64_t{1}));
  // A call chain that is longer than its record.
  builder.record(9, 2,
                 PerfDataBytes(ByteOrder::little)
                     .put(std::uint64_t{100})
                     .text("", 32)
                     .put(std::uint64_t{1} << 60));
  const std::vector<std::byte> whole = builder.file();
  const auto read = recorded.read(whole);
  REQUIRE(read);
  CHECK(recorded.warnings.size() == 2);
  for (std::size_t place = 8; place + 8 < 400; place += 4) {
    for (const std::byte value : {std::byte{0}, std::byte{0x7f}, std::byte{0xff}}) {
      std::vector<std::byte> bytes = whole;
      for (std::size_t i = 0; i < 8; ++i) bytes[place + i] = value;
      Recorded& again = recorded;
      again.warnings.clear();
      (void)again.read(bytes);
    }
  }
}

TEST_CASE("the program of perf.data is the one with most samples") {
  if (!have_programs({"gcc"})) return;
  Recorded recorded("perf-data-program");
  const auto bytes = recorded.recording(ByteOrder::big).file();
  const auto program = program_of_perf_data(perf_data::PerfBytes(bytes, "perf.data"));
  REQUIRE(program);
  REQUIRE(*program);
  CHECK((*program)->path == recorded.imported.built.program.string());
}
