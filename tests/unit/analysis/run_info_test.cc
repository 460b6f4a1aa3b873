// Which sidecar belongs to a gmon file.
#include "engine/run_info.h"

#include <filesystem>
#include <string>

#include <catch2/catch.hpp>
#include <unistd.h>

#include "tests/support/files.h"

using namespace gprof;
using namespace gprof::test;

namespace {

namespace fs = std::filesystem;

// A run with 60 samples and 50 calls, 2 of them in code that a sum may leave out.
Sidecar run(std::uint32_t process) {
  Sidecar sidecar;
  sidecar.machine = 62;
  sidecar.process.process = process;
  sidecar.modules = {
      {0, {{0x1000}, {0x2000}}, module_flags::main, "/opt/prog", "prog", "", "gmon"}};
  sidecar.arcs = {{{0, {0x1010}}, {0, {0x1100}}, {}, 0, {}, 0, 48},
                  {{0, {0x1020}}, {0, {0x1100}}, {}, 0, {}, 0, 2}};
  sidecar.samples = {{{0, {0x1100}}, 60}};
  return sidecar;
}

RawProfile profile(std::uint64_t calls, std::uint64_t samples) {
  RawProfile raw;
  raw.arcs = {{{0x1000}, {0x1100}, calls}};
  raw.histograms = {{{0x1000}, {0x2000}, {samples}}};
  return raw;
}

bool is_taken(const Sidecar& sidecar, const RawProfile& raw) {
  const fs::path folder =
      fs::temp_directory_path() / ("gprof-lsp-collection-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path path = folder / "gmon";
  const auto bytes = write_sidecar(sidecar);
  REQUIRE(bytes);
  write_file(sidecar_name(path.string()), *bytes);
  Warnings warnings;
  const bool taken = sidecar_of(path.string(), raw, warnings).has_value();
  CHECK(warnings.empty() == taken);
  fs::remove_all(folder);
  return taken;
}

}  // namespace

TEST_CASE("collection: a sidecar tells of the file that holds its calls") {
  CHECK(is_taken(run(4711), profile(50, 60)));
  CHECK(is_taken(run(4711), profile(50, 59)));
  CHECK_FALSE(is_taken(run(4711), profile(48, 60)));
  CHECK_FALSE(is_taken(run(4711), profile(51, 60)));
}

TEST_CASE("collection: a sum may hold fewer calls, and no other samples") {
  constexpr std::uint32_t several = 0;
  CHECK(is_taken(run(several), profile(50, 60)));
  CHECK(is_taken(run(several), profile(48, 60)));
  CHECK_FALSE(is_taken(run(several), profile(48, 61)));
  CHECK_FALSE(is_taken(run(several), profile(51, 60)));
}
