// The executable that has written a profile is found again after it was rebuilt.
#include "server/loading/kept_executables.h"

#include <algorithm>
#include <array>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "engine/object/image.h"
#include "tests/support/files.h"
#include "tests/support/gmon_builder.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/process.h"
#include "tests/unit/server/counting_program.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace fs = std::filesystem;

namespace {

// A process that keeps and finds executables.
struct Keeper : KeptExecutables {
  using KeptExecutables::KeptExecutables;

  void must_keep(const fs::path& executable, const fs::path& profile) {
    const auto kept = keep(executable, profile);
    INFO((kept ? "" : describe(kept.error())));
    REQUIRE(kept);
  }
  void must_keep(const CountingProgram& program) { must_keep(program.program, program.profile); }
};

// With the build-id of the program, which is that of the profile as our collector writes it.
fs::path profile_of_build(const CountingProgram& program) {
  const auto image = Image::open(program.program);
  REQUIRE(image);
  REQUIRE((*image)->build_id().size() >= 8);
  GmonDescription described;
  described.build_id_prefix.emplace();
  std::copy_n((*image)->build_id().begin(), 8, described.build_id_prefix->begin());
  described.arcs = {{0x1000, 0x1010, 7}};
  const fs::path path = program.folder / "with-build-id";
  write_file(path, build_gmon(described));
  return path;
}

unsigned mode_of(const fs::path& path) {
  struct stat status = {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777U;
}

std::size_t copies_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::count_if(fs::directory_iterator(folder), fs::directory_iterator(),
                    [](const auto& entry) { return entry.path().extension() == ".executable"; }));
}

}  // namespace

TEST_CASE("kept executables: the one of a profile is there after a rebuild in the same place") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("kept_rebuilt", 10);
  const fs::path folder = program.folder / "kept";
  const fs::path by_build_id = profile_of_build(program);
  const std::string bytes = read_file(program.program);
  const auto time = fs::last_write_time(program.program);
  Keeper keeper(folder);
  CHECK(!keeper.find(program.profile));
  keeper.must_keep(program);
  keeper.must_keep(program.program, by_build_id);
  CHECK(copies_in(folder) == 1);

  // In place, as some tools do: no link would do.
  write_file(program.program, "another build");
  Keeper later(folder);
  for (const fs::path& profile : {program.profile, by_build_id}) {
    const auto copy = later.find(profile);
    REQUIRE(copy);
    CHECK(read_file(*copy) == bytes);
    CHECK(fs::last_write_time(*copy) == time);
    CHECK(mode_of(*copy) == 0600);
  }
  CHECK(mode_of(folder) == 0700);
}

TEST_CASE("kept executables: perf.data of the same build has it, too") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("kept_perf_data", 10);
  const auto image = Image::open(program.program);
  REQUIRE(image);
  REQUIRE((*image)->build_id().size() == 20);
  const fs::path recording = program.folder / "perf.data";
  const auto write_recording = [&](std::span<const std::byte> build_id) {
    PerfDataBuilder builder(ByteOrder::little, {{}});
    builder.map(7, 0x400000, 0x1000, 0, program.program.string(), 50, build_id);
    builder.sample(0, 7, 7, 100, 0x400010, 1, {});
    const std::vector<std::byte> bytes = builder.file();
    write_file(recording, std::span(bytes));
  };
  Keeper keeper(program.folder / "kept");
  keeper.must_keep(program.program, profile_of_build(program));
  write_recording((*image)->build_id());
  CHECK(keeper.find(recording));
  // Of whatever build it may be.
  write_recording({});
  CHECK(!keeper.find(recording));
  CHECK(!keeper.keep(program.program, recording));
}

TEST_CASE("kept executables: one of another build is not kept") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("kept_other_build", 10);
  const fs::path profile = profile_of_build(program);
  program.build(1);
  Keeper keeper(program.folder / "kept");
  keeper.must_keep(program.program, profile);
  CHECK(!keeper.find(profile));
  write_file(program.program, "no executable");
  CHECK(!keeper.keep(program.program, profile));
  write_file(profile, "no profile");
  CHECK(!keeper.keep(program.program, profile));
  CHECK(!keeper.find(profile));
  CHECK(!keeper.find(program.folder / "missing"));
}

TEST_CASE("kept executables: a damaged copy counts as none, and is replaced") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("kept_damaged", 10);
  Keeper keeper(program.folder / "kept");
  keeper.must_keep(program);
  const fs::path copy = *keeper.find(program.profile);
  const std::string bytes = read_file(copy);
  std::string damaged = bytes;
  damaged[damaged.size() / 2] ^= 1;
  for (const std::string& text : {damaged, bytes.substr(0, bytes.size() / 2), std::string()}) {
    write_file(copy, text);
    CHECK(!keeper.find(program.profile));
    CHECK(!fs::exists(copy));
    keeper.must_keep(program);
    CHECK(read_file(copy) == bytes);
  }
  CHECK(keeper.find(program.profile));
  fs::permissions(copy, fs::perms(0666));
  CHECK(!keeper.find(program.profile));
}

TEST_CASE("kept executables: those that were not used for the longest time go first") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("kept_bounded", 0);
  const fs::path folder = program.folder / "kept";
  KeptExecutableLimits limits;
  limits.entries = 8;
  Keeper keeper(folder, limits);
  std::vector<fs::path> profiles;
  for (int build = 0; build < 10; ++build) {
    program.build(build);
    program.run(build);
    profiles.push_back(program.folder / std::to_string(build));
    fs::rename(program.profile, profiles.back());
    // The oldest of all by its own time: what counts is when it was kept.
    fs::last_write_time(program.program,
                        fs::file_time_type::clock::now() - std::chrono::hours(100 + build));
    keeper.must_keep(program.program, profiles.back());
    CHECK(keeper.find(profiles.back()));
  }
  CHECK(copies_in(folder) <= 8);
  CHECK(!keeper.find(profiles.front()));
  CHECK(keeper.find(profiles.back()));
}

TEST_CASE("kept executables: one that is too large is not kept") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("kept_large", 10);
  const fs::path folder = program.folder / "kept";
  KeptExecutableLimits limits;
  limits.entry_bytes = fs::file_size(program.program) - 1;
  Keeper keeper(folder, limits);
  keeper.must_keep(program);
  CHECK(!keeper.find(program.profile));
  limits.entry_bytes += 1;
  limits.part_of_free_space = std::uint64_t{1} << 62;
  Keeper on_a_full_disk(folder, limits);
  on_a_full_disk.must_keep(program);
  CHECK(!on_a_full_disk.find(program.profile));
  limits.part_of_free_space = 4;
  Keeper exact(folder, limits);
  exact.must_keep(program);
  CHECK(exact.find(program.profile));
}

TEST_CASE("kept executables: nothing is kept where others can write") {
  if (!have_programs({"gcc"})) return;
  const CountingProgram program("kept_public", 10);
  const fs::path folder = program.folder / "kept";
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms(0777));
  Keeper keeper(folder);
  CHECK(!keeper.keep(program.program, program.profile));
  CHECK(!keeper.find(program.profile));
  CHECK(copies_in(folder) == 0);
}
