#include "engine/profile_files.h"

#include <catch2/catch.hpp>

#include "engine/gmon/live_reader.h"
#include "tests/support/files.h"
#include "tests/support/live_builder.h"
#include "tests/unit/server/counting_program.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr std::uint64_t bias = 0x10000000;

std::uint64_t address_of(const Program& program, std::string_view name) {
  for (const Symbol& symbol : program.symbols().symbols()) {
    if (symbol.name == name) return symbol.address.value;
  }
  return 0;
}

LiveDescription counting(const Program& program, std::uint64_t calls) {
  const AddressRange code = program.image().code_range();
  LiveDescription live;
  live.header.start_time = 1'000'000'000'000'000'000;
  live.module({bias, bias, bias + 0x1000000, bias + code.low.value, bias + code.high.value, 0, 0,
               gprof::test::still_loaded, module_flags::main | module_flags::profiled, "", "prog",
               program.image().path()});
  live.arcs(
      0, {{bias + address_of(program, "main") + 8, bias + address_of(program, "leaf") + 4, calls}});
  return live;
}

}  // namespace

TEST_CASE("live counters are read as the profile that they will be") {
  if (!gprof::test::have_programs({"gcc"})) return;
  const CountingProgram built("profile-files-live");
  const auto program = Program::open(built.program);
  REQUIRE(program);
  const auto path = built.folder / "gmon.live.4711";
  const auto bytes = build_live(counting(**program, 42));
  write_file(path, bytes);
  Warnings warnings;
  const auto file = read_profile_file(path, **program, warnings);
  REQUIRE(file);
  REQUIRE(file->raw.arcs.size() == 1);
  CHECK(file->raw.arcs[0].count == 42);
  CHECK(file->raw.arcs[0].self_pc.value == address_of(**program, "leaf") + 4);
  REQUIRE(file->sidecar);
  CHECK(file->own_modules == std::vector<bool>{true});
  CHECK(file->modified == 1'000'000'000'000'000'000);
  CHECK(warnings.empty());
}

TEST_CASE("live counters of another program are refused") {
  if (!gprof::test::have_programs({"gcc"})) return;
  const CountingProgram built("profile-files-foreign");
  const auto program = Program::open(built.program);
  REQUIRE(program);
  LiveDescription live;
  live.module({bias, bias, bias + 0x1000000, bias, bias + 0x1000000, 0, 0,
               gprof::test::still_loaded, module_flags::main | module_flags::profiled, "\x01\x02",
               "other", "/opt/other"});
  const auto counters = read_live_counters(build_live(live), "gmon.live.1");
  REQUIRE(counters);
  Warnings warnings;
  const auto file = profile_of_live(*counters, "gmon.live.1", **program, warnings);
  REQUIRE_FALSE(file);
  CHECK(file.error().code == ErrorCode::mismatch);
  CHECK(file.error().message.find("/opt/other") != std::string::npos);
  CHECK(file.error().path == "gmon.live.1");
}

TEST_CASE("no profile is read that is larger than any is") {
  if (!gprof::test::have_programs({"gcc"})) return;
  const CountingProgram built("profile-files-sparse");
  const auto program = Program::open(built.program);
  REQUIRE(program);
  for (const std::string beginning : {"gmon", "# callgrind format\n", "prog 1 1.0: cycles:\n"}) {
    const auto path = built.folder / "gmon.out";
    write_file(path, beginning);
    std::filesystem::resize_file(path, std::uintmax_t{500} << 30);
    Warnings warnings;
    const auto file = read_profile_file(path, **program, warnings);
    REQUIRE_FALSE(file);
    CHECK(file.error().code == ErrorCode::unsupported);
    CHECK_FALSE(read_gmon_profile(path, {}, warnings));
  }
}
