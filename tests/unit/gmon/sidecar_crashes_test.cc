// Crashes in sidecars: round trips, damaged files, and sums of several runs.
#include <catch2/catch.hpp>

#include "engine/crash.h"
#include "engine/gmon/sidecar.h"
#include "engine/gmon/sidecar_sum.h"
#include "tests/support/live_builder.h"
#include "tests/unit/gmon/sidecar_bytes.h"

using namespace gprof;
using namespace gprof::test;

namespace {

Sidecar crashed_sidecar() {
  Sidecar sidecar;
  sidecar.machine = 62;
  sidecar.process.process = 4711;
  sidecar.process.start_time = 1'000;
  sidecar.process.end_time = 2'000;
  sidecar.process.ending = Ending::killed;
  sidecar.process.exit_status = 11;
  sidecar.modules = {
      {0x5000'0000,
       {{0x1000}, {0x9000}},
       module_flags::main,
       "/opt/program",
       "program",
       "",
       "gmon.out"},
      {0x7f10'0000'0000, {{0x200}, {0x300}}, 0, "/lib/libc.so.6", "libc.so.6", "", ""}};
  sidecar.threads = {{4711, false, 0, 0, 0, 0, "main", 0, 1'000},
                     {4712, false, 0, 0, 0, 0, "worker", 0, 1'500}};
  sidecar.crashes = {{.signal = 11,
                      .code = 1,
                      .address = 0x10,
                      .thread = 1,
                      .stack = {0, true, {{1, {0x210}}, {0, {0x1100}}, {0, {0x1200}}}}}};
  return sidecar;
}

constexpr std::uint32_t crashes_kind = 16;
constexpr std::uint32_t stacks_kind = 17;

}  // namespace

TEST_CASE("sidecar crashes: what is written is read back") {
  const Sidecar sidecar = crashed_sidecar();
  const auto bytes = written(sidecar);
  const auto read = read_sidecar(bytes, "gmon.out.gpx");
  REQUIRE(read);
  CHECK(read->crashes == sidecar.crashes);
  CHECK(*read == sidecar);
  auto sections = sidecar_sections(bytes);
  CHECK(section_of(sections, crashes_kind).entry_size == 24);
  CHECK(section_of(sections, stacks_kind).payload.size() == 16 + 3 * 16);
}

TEST_CASE("sidecar crashes: each has a stack") {
  auto sections = sidecar_sections(written(crashed_sidecar()));
  section_of(sections, crashes_kind).payload.clear();
  section_of(sections, crashes_kind).count = 0;
  const Error error = read_error(build_sidecar(sections));
  CHECK(error.code == ErrorCode::corrupt);
  CHECK(error.message ==
        "a stack for each of 0 crashes expected, 1 found; the file is damaged: run the "
        "program again");
}

TEST_CASE("sidecar crashes: damage under a right checksum is an error or another sidecar") {
  check_damage(written(crashed_sidecar()), 816, [](const Sidecar& reread, const Sidecar& read) {
    CHECK(reread.crashes == read.crashes);
  });
}

TEST_CASE("sidecar crashes: a sum keeps those of its runs") {
  Sidecar second = crashed_sidecar();
  second.process.process = 4811;
  std::swap(second.modules[0], second.modules[1]);
  for (ModuleAddress& frame : second.crashes[0].stack.frames) frame.module = 1 - frame.module;
  SidecarSum sum("gmon.sum");
  REQUIRE(sum.add(crashed_sidecar(), "gmon.out", "a"));
  REQUIRE(sum.add(second, "gmon.out", "b"));
  const Sidecar total = sum.take();
  REQUIRE(total.crashes.size() == 2);
  CHECK(total.crashes[0] == crashed_sidecar().crashes[0]);
  CHECK(total.crashes[1].stack == total.crashes[0].stack);
  CHECK(total.crashes[1].thread == 3);
}

TEST_CASE("sidecar crashes: frames are looked up where the instruction is, or the call") {
  const std::vector<Crash> crashes = crashes_of(crashed_sidecar(), {true, false});
  REQUIRE(crashes.size() == 1);
  CHECK(crashes[0].address == 0x10U);
  CHECK(crashes[0].thread == "worker");
  REQUIRE(crashes[0].frames.size() == 3);
  CHECK(crashes[0].frames[0].module == "libc.so.6");
  CHECK(crashes[0].frames[0].address == Address{0x210});
  CHECK(crashes[0].frames[1].module.empty());
  CHECK(crashes[0].frames[1].address == Address{0x10ff});
}

TEST_CASE("sidecar crashes: of very many, the first are looked at") {
  Sidecar sidecar = crashed_sidecar();
  sidecar.crashes.resize(1'000, sidecar.crashes.front());
  CHECK(crashes_of(sidecar, {true, false}).size() == most_crashes);
}

TEST_CASE("sidecar crashes: an address only where an access by one faulted") {
  const auto address_of = [](std::int32_t signal, std::int32_t code) {
    Sidecar sidecar = crashed_sidecar();
    sidecar.crashes[0].signal = signal;
    sidecar.crashes[0].code = code;
    return crashes_of(sidecar, {true, false}).at(0).address.has_value();
  };
  CHECK(address_of(11, 2));
  CHECK(address_of(7, 2));
  CHECK_FALSE(address_of(11, 0x80));  // SI_KERNEL
  CHECK_FALSE(address_of(11, -6));    // SI_TKILL
  CHECK_FALSE(address_of(8, 1));
}
