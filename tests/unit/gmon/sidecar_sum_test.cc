#include "engine/gmon/sidecar_sum.h"

#include <limits>

#include <catch2/catch.hpp>

using namespace gprof;

namespace {

SidecarModule module_of(std::string path, std::uint32_t flags, std::string file) {
  return {0x5000, {{0x1000}, {0x9000}}, flags, path, path, "", std::move(file)};
}

// A run of a program with one library; the module after the executable varies.
Sidecar run_of(bool libc_first) {
  Sidecar run;
  run.machine = 62;
  run.process.process = 4711;
  run.process.start_time = libc_first ? 1000 : 2000;
  run.process.end_time = libc_first ? 1900 : 2900;
  run.process.ending = Ending::returned;
  run.process.requested_rate = 100;
  run.process.sample_source = SampleSource::perf_clock;
  run.process.cpu_time = 50;
  run.process.samples = 7;
  run.process.calls = 30;
  run.process.price_picoseconds = libc_first ? 1000 : 3000;
  run.process.sampling = {40, 3, 2, 1, 4'000'000};
  const SidecarModule library =
      module_of("/opt/libx.so", module_flags::profiled, "gmon.out.libx.so");
  const SidecarModule libc = module_of("/lib/libc.so.6", 0, "");
  run.modules = {
      module_of("/opt/program", module_flags::main | module_flags::profiled, "gmon.out")};
  run.modules.push_back(libc_first ? libc : library);
  run.modules.push_back(libc_first ? library : libc);
  const std::uint32_t x = libc_first ? 2 : 1;
  const std::uint32_t c = libc_first ? 1 : 2;
  run.names = {"", libc_first ? "qsort" : "bsearch"};
  run.arcs = {{{0, {1}}, {0, {2}}, {}, 0, {}, 0, 10},
              {{0, {1}}, {x, {2}}, {}, 0, {}, 0, 20},
              {{c, {1}}, {0, {9}}, {0, {3}}, arc_flags::via, {c, {4}}, 1, 5}};
  run.threads = {{100, true, 30, 7, 7, 50}};
  run.samples = {{{0, {5}}, 3, 2}, {{x, {5}}, 4}};
  run.stacks = {{4, false, {{x, {5}}, {0, {1}}}}, {3, libc_first, {{0, {5}}, {0, {1}}}}};
  return run;
}

Sidecar sum_of(const std::vector<Sidecar>& runs) {
  SidecarSum sum("gmon.sum");
  for (const Sidecar& run : runs) REQUIRE(sum.add(run, "gmon.out", "gmon.out.gpx"));
  return sum.take();
}

std::uint32_t module_named(const Sidecar& sidecar, std::string_view path) {
  for (std::uint32_t i = 0; i < sidecar.modules.size(); ++i) {
    if (sidecar.modules[i].path == path) return i;
  }
  return no_module;
}

}  // namespace

TEST_CASE("sidecar sum: places are the same by their modules, wherever these stand") {
  const Sidecar sum = sum_of({run_of(true), run_of(false)});
  REQUIRE(sum.modules.size() == 3);
  CHECK(sum.modules[0].path == "/opt/program");
  const std::uint32_t x = module_named(sum, "/opt/libx.so");
  const std::uint32_t c = module_named(sum, "/lib/libc.so.6");
  CHECK(sum.modules[0].file == "gmon.sum");
  CHECK(sum.modules[x].file == "gmon.sum.libx.so");
  CHECK(sum.modules[c].file.empty());
  // Callbacks through functions with different names are separate.
  REQUIRE(sum.arcs.size() == 4);
  CHECK(sum.arcs[0] == SidecarArc{{0, {1}}, {0, {2}}, {}, 0, {}, 0, 20});
  CHECK(sum.arcs[1] == SidecarArc{{0, {1}}, {x, {2}}, {}, 0, {}, 0, 40});
  CHECK(sum.arcs[2].from.module == c);
  CHECK(sum.name_of(sum.arcs[2]) == "qsort");
  CHECK(sum.name_of(sum.arcs[3]) == "bsearch");
  CHECK(sum.samples == std::vector<SidecarSample>{{{0, {5}}, 6, 4}, {{x, {5}}, 8}});
  REQUIRE(sum.stacks.size() == 3);
  CHECK(sum.stacks[0] == SidecarStack{8, false, {{x, {5}}, {0, {1}}}});
  CHECK(sum.stacks[1].count + sum.stacks[2].count == 6);
  CHECK(sum.threads.size() == 2);
  // The result can be written and read.
  const auto bytes = write_sidecar(sum);
  REQUIRE(bytes);
  const auto read = read_sidecar(*bytes, "gmon.sum.gpx");
  REQUIRE(read);
  CHECK(read->stacks == sum.stacks);
}

TEST_CASE("sidecar sum: figures of processes") {
  Sidecar killed = run_of(false);
  killed.process.ending = Ending::killed;
  killed.process.exit_status = 9;
  killed.process.flags = process_flags::with_stacks;
  killed.process.lost_calls = std::numeric_limits<std::uint64_t>::max();
  Sidecar lossy = run_of(true);
  lossy.process.lost_calls = 1;
  const SidecarProcess sum = sum_of({run_of(true), killed, lossy}).process;
  CHECK(sum.process == 0);
  CHECK(sum.start_time == 1000);
  CHECK(sum.end_time == 2900);
  CHECK(sum.ending == Ending::unknown);
  CHECK(sum.exit_status == 0);
  CHECK(sum.flags == process_flags::with_stacks);
  CHECK(sum.requested_rate == 100);
  CHECK(sum.cpu_time == 150);
  CHECK(sum.samples == 21);
  CHECK(sum.calls == 90);
  CHECK(sum.lost_calls == std::numeric_limits<std::uint64_t>::max());
  CHECK(sum.price_picoseconds == (1000 + 3000 + 1000) / 3);
  CHECK(sum.sampling == SamplingQuality{120, 9, 6, 3, 4'000'000});
  CHECK(sum_of({run_of(true), run_of(false)}).process.ending == Ending::returned);
}

TEST_CASE("sidecar sum: the stacks of some runs do not speak for runs without any") {
  Sidecar without = run_of(false);
  without.stacks.clear();
  CHECK(sum_of({run_of(true), without}).process.lost_stacks == 7);
  CHECK(sum_of({without, without}).process.lost_stacks == 0);
}

TEST_CASE("sidecar sum: runs at several rates, or of other machines, do not add up") {
  SidecarSum sum("gmon.sum");
  REQUIRE(sum.add(run_of(true), "gmon.out", "first"));
  Sidecar other = run_of(false);
  other.process.requested_rate = 1000;
  const auto faster = sum.add(other, "gmon.out", "second");
  REQUIRE_FALSE(faster);
  CHECK(faster.error().code == ErrorCode::mismatch);
  CHECK(faster.error().path == "second");
  CHECK_THAT(faster.error().message, Catch::Contains("100 samples a second"));
  other.process.requested_rate = 0;  // not sampled at all
  CHECK(sum.add(other, "gmon.out", "third"));
  other.machine = 183;
  CHECK_FALSE(sum.add(other, "gmon.out", "fourth"));
  CHECK(sum.take().process.cpu_time == 100);
  CHECK(sum.take() == Sidecar{});
}
