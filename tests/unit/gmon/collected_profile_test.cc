#include "engine/gmon/collected_profile.h"

#include <algorithm>
#include <numeric>

#include <catch2/catch.hpp>

#include "engine/gmon/reader.h"
#include "engine/gmon/writer.h"
#include "tests/support/live_builder.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr std::uint64_t program_bias = 0x5555'0000'0000;
constexpr std::uint64_t library_bias = 0x7fff'1000'0000;
constexpr std::uint64_t libc_bias = 0x7fff'2000'0000;

LiveDescription::Module program(std::uint64_t text_size = 0x2000) {
  return {program_bias,
          program_bias + 0x400,
          program_bias + 0x1000 + 2 * text_size,
          program_bias + 0x1000,
          program_bias + 0x1000 + text_size,
          program_bias + 0x1000,
          0,
          still_loaded,
          module_flags::main,
          "0123456789",
          "program",
          "/opt/program"};
}

LiveDescription::Module library(std::uint64_t bias = library_bias,
                                const std::string& path = "/opt/libone.so") {
  return {bias, bias,         bias + 0x4000,          bias + 0x1000, bias + 0x2000, bias + 0x1000,
          0,    still_loaded, module_flags::profiled, "abcdefghij",  "libone.so",   path};
}

LiveDescription::Module libc() {
  return {libc_bias,
          libc_bias,
          libc_bias + 0x10000,
          libc_bias + 0x1000,
          libc_bias + 0x8000,
          0,
          0,
          still_loaded,
          0,
          "libc",
          "libc.so.6",
          "/lib/libc.so.6"};
}

LiveDescription with_program() {
  LiveDescription live;
  live.module(program());
  return live;
}

CollectedProfile collect(const LiveDescription& description, const CollectRequest& request = {}) {
  const auto live = read_live_counters(build_live(description), "gmon.live.4711");
  REQUIRE(live);
  auto collected = collect_profile(*live, request);
  REQUIRE(collected);
  // Anything collected can be written and read.
  const auto sidecar = write_sidecar(collected->sidecar);
  REQUIRE(sidecar);
  CHECK(*read_sidecar(*sidecar, "gmon.out.gpx") == collected->sidecar);
  for (const ModuleProfile& module : collected->modules) {
    const auto gmon = write_gmon(module.profile, {});
    REQUIRE(gmon);
    const auto profile = read_gmon(*gmon, "gmon.out", {});
    REQUIRE(profile);
    CHECK(profile->rate == module.profile.rate);
    CHECK(profile->build_id_prefix == module.profile.build_id_prefix);
  }
  return *collected;
}

std::uint64_t samples_in(const RawProfile& profile) {
  std::uint64_t sum = 0;
  for (const Histogram& histogram : profile.histograms) {
    sum = std::accumulate(histogram.bins.begin(), histogram.bins.end(), sum);
  }
  return sum;
}

void check_histograms(const RawProfile& profile) {
  REQUIRE_FALSE(profile.histograms.empty());
  for (std::size_t i = 0; i < profile.histograms.size(); ++i) {
    const Histogram& histogram = profile.histograms[i];
    CHECK(histogram.high - histogram.low == 2 * histogram.bins.size());
    CHECK(!histogram.bins.empty());
    CHECK((i == 0 || profile.histograms[i - 1].high <= histogram.low));
  }
}

}  // namespace

TEST_CASE("collected: a program that counted nothing has an empty profile") {
  LiveDescription live = with_program();
  live.header.requested_rate = 0;
  const CollectedProfile collected = collect(live);
  CHECK(collected.file_name == "gmon.out");
  REQUIRE(collected.modules.size() == 1);
  const ModuleProfile& module = collected.modules[0];
  CHECK(module.file_suffix.empty());
  CHECK(module.path == "/opt/program");
  CHECK(module.profile.rate == 100);
  CHECK(module.profile.dimension == "seconds");
  REQUIRE(module.profile.histograms.size() == 1);
  CHECK(module.profile.histograms[0].low == Address{0x1000});
  CHECK(module.profile.histograms[0].high == Address{0x3000});
  REQUIRE(module.profile.build_id_prefix);
  CHECK(module.profile.build_id_prefix->front() == std::byte{'0'});
  CHECK(module.profile.build_id_prefix->back() == std::byte{'7'});
  REQUIRE(collected.sidecar.modules.size() == 1);
  CHECK(collected.sidecar.modules[0].build_id == "30313233343536373839");
  CHECK(collected.sidecar.modules[0].file == "gmon.out");
  CHECK(collected.sidecar.modules[0].text == AddressRange{{0x1000}, {0x3000}});
}

TEST_CASE("collected: without a record of the executable there is nothing to write") {
  LiveDescription live;
  live.module(library());
  const auto counters = read_live_counters(build_live(live), "gmon.live.4711");
  REQUIRE(counters);
  const auto collected = collect_profile(*counters, {});
  REQUIRE_FALSE(collected);
  CHECK(collected.error().code == ErrorCode::corrupt);
}

TEST_CASE("collected: the request says what the counters do not") {
  LiveDescription live = with_program();
  live.header.name = "profiles/run.4711";
  CollectRequest request;
  request.ending = Ending::killed;
  request.exit_status = 9;
  request.end_time = 5000;
  const CollectedProfile killed = collect(live, request);
  CHECK(killed.file_name == "run.4711");
  CHECK(killed.sidecar.process.ending == Ending::killed);
  CHECK(killed.sidecar.process.exit_status == 9);
  CHECK(killed.sidecar.process.end_time == 5000);
  live.header.ending = 1;
  live.header.exit_status = 3;
  live.header.end_time = 4000;
  request.file_name = "other";
  const CollectedProfile returned = collect(live, request);
  CHECK(returned.file_name == "other");
  CHECK(returned.sidecar.modules[0].file == "other");
  CHECK(returned.sidecar.process.ending == Ending::returned);
  CHECK(returned.sidecar.process.exit_status == 3);
  CHECK(returned.sidecar.process.end_time == 4000);
}

TEST_CASE("collected: arcs of all tables become link-time arcs, summed and sorted") {
  LiveDescription live = with_program();
  live.arcs(0, {{program_bias + 0x1200, program_bias + 0x1100, 5'000'000'000},
                {program_bias + 0x1010, program_bias + 0x1100, 1}});
  live.arcs(1, {{program_bias + 0x1200, program_bias + 0x1100, 7},
                {libc_bias + 0x1000, program_bias + 0x1100, 2}});
  const CollectedProfile collected = collect(live);
  CHECK(collected.modules[0].profile.arcs ==
        std::vector<RawArc>{
            {{0}, {0x1100}, 2}, {{0x1010}, {0x1100}, 1}, {{0x1200}, {0x1100}, 5'000'000'007}});
  CHECK(collected.sidecar.process.calls == 5'000'000'010);
  REQUIRE(collected.sidecar.arcs.size() == 3);
  // No module was recorded for this caller: it keeps its run-time address.
  CHECK(collected.sidecar.arcs[2].from == ModuleAddress{no_module, {libc_bias + 0x1000}});
}

TEST_CASE("collected: calls through code that is not profiled have the caller behind it") {
  LiveDescription live = with_program();
  live.module(libc());
  const std::uint64_t comparator = program_bias + 0x1100;
  live.through_arcs(
      0, {{libc_bias + 0x1010, comparator, 10, program_bias + 0x1200, libc_bias + 0x1020},
          {libc_bias + 0x1010, comparator, 20, program_bias + 0x1300, libc_bias + 0x1020},
          {libc_bias + 0x1010, comparator, 40, 0, libc_bias + 0x1030},
          {libc_bias + 0x1014, comparator, 80, program_bias + 0x1200, libc_bias + 0x1020}});
  std::vector<std::pair<std::string, std::uint64_t>> asked;
  CollectRequest request;
  request.via_name = [&](const std::string& path, Address address) {
    asked.emplace_back(path, address.value);
    return address == Address{0x1020} ? std::string("qsort") : std::string();
  };
  const CollectedProfile collected = collect(live, request);
  CHECK(collected.modules[0].profile.arcs == std::vector<RawArc>{{{0}, {0x1100}, 40},
                                                                 {{0x1200}, {0x1100}, 90},
                                                                 {{0x1300}, {0x1100}, 20}});
  CHECK(asked == std::vector<std::pair<std::string, std::uint64_t>>{{"/lib/libc.so.6", 0x1030},
                                                                    {"/lib/libc.so.6", 0x1020}});
  const Sidecar& sidecar = collected.sidecar;
  REQUIRE(sidecar.arcs.size() == 4);
  for (const SidecarArc& arc : sidecar.arcs) {
    CHECK(arc.flags == arc_flags::via);
    CHECK(arc.from.module == 1);
    CHECK(sidecar.name_of(arc) == (arc.profiled_caller.module == no_module ? "" : "qsort"));
  }
  CHECK(sidecar.modules[1].file.empty());
  CHECK(collect(live).sidecar.names == std::vector<std::string>{""});
}

TEST_CASE("collected: a profiled library has a file, with _init for callers from outside") {
  LiveDescription live = with_program();
  live.module(library());
  live.module(libc());
  live.arcs(0, {{library_bias + 0x1200, library_bias + 0x1100, 3},
                {program_bias + 0x1010, library_bias + 0x1100, 4},
                {library_bias + 0x1300, program_bias + 0x1100, 5}});
  live.through_arcs(
      0,
      {{libc_bias + 0x1010, library_bias + 0x1100, 6, library_bias + 0x1204, libc_bias + 0x1020},
       {libc_bias + 0x1010, library_bias + 0x1100, 7, program_bias + 0x1014, libc_bias + 0x1020}});
  live.samples({{library_bias + 0x1500, 0, 11, 30}, {libc_bias + 0x1000, 0, 12}, {0x10, 0, 13}});
  const CollectedProfile collected = collect(live);
  REQUIRE(collected.modules.size() == 2);
  CHECK(collected.modules[0].profile.arcs == std::vector<RawArc>{{{0}, {0x1100}, 5}});
  CHECK(samples_in(collected.modules[0].profile) == 0);
  const ModuleProfile& one = collected.modules[1];
  CHECK(one.file_suffix == ".libone.so");
  CHECK(one.path == "/opt/libone.so");
  CHECK(one.profile.arcs == std::vector<RawArc>{{{0x1000}, {0x1100}, 11},
                                                {{0x1200}, {0x1100}, 3},
                                                {{0x1204}, {0x1100}, 6}});
  CHECK(samples_in(one.profile) == 11);
  CHECK(one.profile.build_id_prefix->front() == std::byte{'a'});
  CHECK(collected.sidecar.modules[1].file == "gmon.out.libone.so");
  REQUIRE(collected.sidecar.samples.size() == 3);
  CHECK(collected.sidecar.samples[2].place == ModuleAddress{no_module, {0x10}});
  CHECK(collected.sidecar.samples[0].excess_variance == 30);
  CHECK(collected.sidecar.process.samples == 36);
}

TEST_CASE("collected: libraries without counts of their own have no file") {
  LiveDescription live = with_program();
  live.module(library());
  live.samples({{library_bias + 0x1500, 0, 11}});
  CHECK(collect(live).modules.size() == 1);
  LiveDescription not_profiled = with_program();
  not_profiled.module(libc());
  not_profiled.arcs(0, {{program_bias + 0x1010, libc_bias + 0x1100, 4}});
  CHECK(collect(not_profiled).modules.size() == 1);
}

TEST_CASE("collected: two libraries of one soname have files of their own") {
  constexpr std::uint64_t other_bias = 0x7fff'3000'0000;
  constexpr std::uint64_t third_bias = 0x7fff'4000'0000;
  LiveDescription live = with_program();
  live.module(library());
  live.module(library(other_bias, "/usr/lib/libone.so"));
  auto sidecar_like = library(third_bias, "/opt/gpx");
  sidecar_like.soname = "../gpx";
  live.module(sidecar_like);
  constexpr std::uint64_t fourth_bias = 0x7fff'5000'0000;
  auto numbered = library(fourth_bias, "/opt/libone.so.2");
  numbered.soname = "libone.so.2";
  live.module(numbered);
  live.arcs(0, {{0x10, library_bias + 0x1100, 3},
                {0x10, other_bias + 0x1100, 4},
                {0x10, third_bias + 0x1100, 5},
                {0x10, fourth_bias + 0x1100, 6}});
  const CollectedProfile collected = collect(live);
  REQUIRE(collected.modules.size() == 5);
  CHECK(collected.modules[4].file_suffix == ".libone.so.2");
  CHECK(collected.modules[1].file_suffix == ".libone.so");
  CHECK(collected.modules[1].profile.arcs[0].count == 3);
  CHECK(collected.modules[2].file_suffix == ".libone.so.3");
  CHECK(collected.modules[2].profile.arcs[0].count == 4);
  CHECK(collected.sidecar.modules[2].file == "gmon.out.libone.so.3");
  // No name leads out of the directory or equals the sidecar's.
  CHECK(collected.modules[3].file_suffix == ".gpx.2");
}

TEST_CASE(
    "collected: a library that was loaded twice has one file, and epochs tell its addresses") {
  constexpr std::uint64_t second_bias = 0x7fff'5000'0000;
  LiveDescription live;
  live.header.epoch = 2;
  live.module(program());
  auto first = library();
  first.unload_epoch = 0;
  live.module(first);
  // Another library took its addresses.
  auto intruder = library(library_bias, "/opt/libtwo.so");
  intruder.soname = "libtwo.so";
  intruder.build_id = "zyxwvutsrq";
  intruder.load_epoch = 1;
  intruder.unload_epoch = 1;
  live.module(intruder);
  auto second = library(second_bias);
  second.load_epoch = 2;
  live.module(second);
  const LiveDescription::Call call = {library_bias + 0x1200, library_bias + 0x1100, 3};
  live.retired_arcs(0, 0, {call});
  live.retired_arcs(0, 1, {{call.from, call.self, 4}});
  live.retired_through_arcs(0, 1, {{0x10, call.self, 5, call.from, 0x20}});
  live.arcs(0, {{second_bias + 0x1200, second_bias + 0x1100, 6}, {call.from, call.self, 7}});
  live.samples({{library_bias + 0x1500, 0, 1},
                {library_bias + 0x1500, 1, 2},
                {second_bias + 0x1500, 2, 4},
                {library_bias + 0x1500, 2, 8}});
  live.stacks({{1, 0, false, {library_bias + 0x1500}},
               {2, 1, false, {library_bias + 0x1500}},
               {4, 2, false, {second_bias + 0x1500}}});
  const CollectedProfile collected = collect(live);
  const Sidecar& sidecar = collected.sidecar;
  REQUIRE(sidecar.modules.size() == 3);
  CHECK(sidecar.modules[1].bias == second_bias);
  CHECK((sidecar.modules[1].flags & module_flags::unloaded) == 0);
  CHECK((sidecar.modules[2].flags & module_flags::unloaded) != 0);
  REQUIRE(collected.modules.size() == 3);
  CHECK(collected.modules[1].profile.arcs == std::vector<RawArc>{{{0x1200}, {0x1100}, 9}});
  CHECK(collected.modules[2].profile.arcs == std::vector<RawArc>{{{0x1200}, {0x1100}, 9}});
  CHECK(samples_in(collected.modules[1].profile) == 5);
  CHECK(samples_in(collected.modules[2].profile) == 2);
  // Counted in an epoch when nothing was loaded there.
  CHECK(sidecar.arcs.back().self == ModuleAddress{no_module, {library_bias + 0x1100}});
  CHECK(sidecar.samples.back() == SidecarSample{{no_module, {library_bias + 0x1500}}, 8});
  REQUIRE(sidecar.stacks.size() == 2);
  CHECK(sidecar.stacks[0] == SidecarStack{5, false, {{1, {0x1500}}}});
  CHECK(sidecar.stacks[1] == SidecarStack{2, false, {{2, {0x1500}}}});
}

TEST_CASE("collected: threads that run have what their slot counted since they took it over") {
  LiveDescription live = with_program();
  const std::uint64_t from = program_bias + 0x1010;
  const std::uint64_t self = program_bias + 0x1100;
  live.threads({{100, 0, false, 0, 0, 5, 4, 1000},
                {101, 1, true, 0, 20, 6, 5, 2000},
                {102, 1, false, 20, 0, 7, 6, 3000},
                {103, 2, false, 99, 0, 0, 0, 0}});
  live.arcs(0, {{from, self, 11}}).through_arcs(0, {{from, self, 3}});
  live.retired_arcs(0, 0, {{from, self, 1}});
  live.arcs(1, {{from, self, 25}});
  const Sidecar sidecar = collect(live).sidecar;
  CHECK(sidecar.threads == std::vector<SidecarThread>{{100, false, 15, 5, 4, 1000},
                                                      {101, true, 20, 6, 5, 2000},
                                                      {102, false, 5, 7, 6, 3000},
                                                      {103, false, 0, 0, 0, 0}});
  CHECK(sidecar.process.cpu_time == 6000);
  CHECK(sidecar.process.signals == 15);
  CHECK(sidecar.process.calls == 40);
}

TEST_CASE("collected: a bin beyond 16 bits repeats its range, which stays the same") {
  LiveDescription live = with_program();
  live.samples({{program_bias + 0x1801, 0, 200'000},
                {program_bias + 0x1800, 0, 50},
                {program_bias + 0x1802, 0, 3},
                {program_bias + 0x1000, 0, 70'000},
                {program_bias + 0x2fff, 0, 70'000}});
  const CollectedProfile collected = collect(live);
  const RawProfile& profile = collected.modules[0].profile;
  check_histograms(profile);
  CHECK(samples_in(profile) == 340'053);
  REQUIRE(profile.histograms.size() == 1);
  CHECK(profile.histograms[0].low == Address{0x1000});
  CHECK(profile.histograms[0].high == Address{0x3000});
  const auto gmon = write_gmon(profile, {});
  REQUIRE(gmon);
  const auto read = read_gmon(*gmon, "gmon.out", {});
  REQUIRE(read);
  CHECK(samples_in(*read) == 340'053);
  REQUIRE(read->histograms.size() == 1);
  CHECK(read->histogram_records == 4);
  CHECK(read->histograms[0].bins[0x400] == 200'050);
}

TEST_CASE("collected: of a large text only the windows that were hit are written") {
  LiveDescription live;
  live.module(program(256 << 20));
  CHECK(collect(live).modules[0].profile.histograms.size() == 1);
  live.samples({{program_bias + 0x1000, 0, 1},
                {program_bias + 0x13ff, 0, 2},
                {program_bias + 0x1400, 0, 4},
                {program_bias + 0x100'0001, 0, 70'000},
                {program_bias + 0x1000'0fff, 0, 16},
                {program_bias + 0x1000'1000, 0, 32}});  // past the end of the text
  const RawProfile profile = collect(live).modules[0].profile;
  check_histograms(profile);
  CHECK(samples_in(profile) == 70'023);
  std::vector<AddressRange> ranges;
  for (const Histogram& histogram : profile.histograms) {
    ranges.push_back({histogram.low, histogram.high});
  }
  // Adjacent ranges are not joined: another run may not have hit both.
  CHECK(ranges == std::vector<AddressRange>{{Address{0x1000}, Address{0x1400}},
                                            {Address{0x1400}, Address{0x1800}},
                                            {Address{0x100'0000}, Address{0x100'0400}},
                                            {Address{0x1000'0c00}, Address{0x1000'1000}}});
}

TEST_CASE("collected: counts that no gmon file holds stop there, and the sidecar has them") {
  LiveDescription live = with_program();
  const std::uint64_t huge = std::uint64_t{1} << 60;
  live.arcs(0, {{program_bias + 0x1010, program_bias + 0x1100, huge}});
  live.samples({{program_bias + 0x1800, 0, huge}});
  const CollectedProfile collected = collect(live);
  CHECK(collected.modules[0].profile.arcs[0].count == 4096 * 0xffff'ffffULL);
  CHECK(samples_in(collected.modules[0].profile) == 4096 * 65535);
  CHECK(collected.warnings.size() == 2);
  CHECK(collected.sidecar.arcs[0].count == huge);
  CHECK(collected.sidecar.samples[0].count == huge);
}

TEST_CASE("collected: every block is there, whether it ran or not") {
  LiveDescription live;
  live.header.epoch = 1;
  auto main = program();
  main.flags |= module_flags::blocks;
  live.module(main);
  auto first = library();
  first.flags = module_flags::blocks;
  first.unload_epoch = 0;
  live.module(first);
  constexpr std::uint64_t second_bias = 0x7fff'5000'0000;
  auto second = library(second_bias);
  second.flags = module_flags::blocks;
  second.load_epoch = 1;
  live.module(second);
  live.block_places(still_loaded, {{program_bias + 0x1010, program_bias + 0x1015},
                                   {program_bias + 0x1020, program_bias + 0x1025},
                                   {program_bias + 0x1007, program_bias + 0x100c}});
  live.block_places(0, {{library_bias + 0x1010, library_bias + 0x1015}});
  live.block_places(still_loaded, {{second_bias + 0x1010, second_bias + 0x1015}});
  // Two threads; 0x1100 is a block without a recorded place.
  live.block_counts(still_loaded, program_bias, {{0x1014 / 4, 26'312}, {0x1100 / 4, 7}});
  live.block_counts(still_loaded, program_bias, {{0x1014 / 4, 1}, {0x100c / 4, 2}});
  live.block_counts(0, library_bias, {{0x1014 / 4, 5}});
  live.block_counts(still_loaded, second_bias, {{0x1014 / 4, 6'000'000'000}});
  live.block_counts(0, 0x1230'0000, {{3, 5}});  // of no module
  const CollectedProfile collected = collect(live);
  REQUIRE(collected.modules.size() == 2);
  CHECK(collected.modules[0].profile.blocks ==
        std::vector<BlockCount>{{{0x1007}, 2}, {{0x1010}, 26'313}, {{0x1020}, 0}, {{0x1100}, 7}});
  CHECK(collected.modules[0].profile.block_records == 1);
  CHECK(collected.modules[1].file_suffix == ".libone.so");
  CHECK(collected.modules[1].profile.blocks == std::vector<BlockCount>{{{0x1010}, 6'000'000'005}});
}

TEST_CASE("collected: folded stacks stay folded, and what folds nothing is left out") {
  LiveDescription live = with_program();
  const std::uint64_t a = program_bias + 0x1100;
  const std::uint64_t b = program_bias + 0x1200;
  const std::uint64_t most = (std::uint64_t{1} << 48U) - 1;
  live.stacks({{3, 0, false, {a, b, 0xfe02ULL << 48U | 7, 0xfdULL << 56U | 9, b}},
               {2, 0, false, {a, b, 0xfe03ULL << 48U | most, a}},
               {1, 0, false, {a, 0xff00ULL << 48U | 4}}});
  const auto stacks = collect(live).sidecar.stacks;
  REQUIRE(stacks.size() == 3);
  CHECK(stacks[0].frames == std::vector<ModuleAddress>{{0, {0x1100}},
                                                       {0, {0x1200}},
                                                       {stack_marks::repeat + 2, {7}},
                                                       {stack_marks::left_out, {9}},
                                                       {0, {0x1200}}});
  CHECK(stacks[1].frames[2] == ModuleAddress{stack_marks::left_out, {most}});
  CHECK(stacks[2].frames[1] == ModuleAddress{stack_marks::left_out, {4}});
}

TEST_CASE("collected: the first inferred frame in a module is marked") {
  LiveDescription live = with_program();
  live.header.version = 2;
  const std::uint64_t a = program_bias + 0x1100;
  const std::uint64_t nowhere = 0x10;
  live.stacks({{4, 0, false, {a, a, a, a}, 0, 2},
               {3, 0, false, {a, nowhere, 0xfdULL << 56U | 9, a}, 1, 1},
               {2, 0, false, {a, nowhere}, 2, 1},
               {1, 0, false, {a, a, a, a}, 3, 0}});
  const auto stacks = collect(live).sidecar.stacks;
  REQUIRE(stacks.size() == 4);
  CHECK(stacks[0].inferred_from == 2);
  CHECK(stacks[1].inferred_from == 3);
  CHECK(stacks[2].inferred_from == 0);
  CHECK(stacks[3].inferred_from == 0);
}

TEST_CASE("collected: stacks of all threads are summed, the most frequent first") {
  LiveDescription live = with_program();
  const std::uint64_t a = program_bias + 0x1010;
  const std::uint64_t b = program_bias + 0x1020;
  live.stacks({{1, 0, false, {a, b}}, {3, 0, false, {b}}, {2, 0, true, {a, b}}});
  live.stacks({{4, 0, false, {a, b}}});
  CHECK(collect(live).sidecar.stacks ==
        std::vector<SidecarStack>{{5, false, {{0, {0x1010}}, {0, {0x1020}}}},
                                  {3, false, {{0, {0x1020}}}},
                                  {2, true, {{0, {0x1010}}, {0, {0x1020}}}}});
}

TEST_CASE("collected: a module that two threads recorded at the same time is one") {
  LiveDescription live = with_program();
  live.module(library()).module(library());
  live.arcs(0, {{library_bias + 0x1200, library_bias + 0x1100, 3}});
  const CollectedProfile collected = collect(live);
  CHECK(collected.sidecar.modules.size() == 2);
  REQUIRE(collected.modules.size() == 2);
  CHECK(collected.modules[1].profile.arcs[0].count == 3);
}
