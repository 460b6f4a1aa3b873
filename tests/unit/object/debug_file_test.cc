#include "engine/object/debug_file.h"

#include <fstream>

#include <catch2/catch.hpp>

#include "tests/support/build_program.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;

namespace {

std::shared_ptr<const Image> open_image(const std::filesystem::path& path) {
  auto image = Image::open(path);
  if (!image) FAIL(describe(image.error()));
  return *image;
}

// `stripped` with a link to `program.debug`, both with the build-id.
std::filesystem::path build(const std::string& test_name, const std::string& build_id) {
  const auto directory = fresh_directory(test_name);
  run_or_fail({"g++", "-g", program_source("object_shapes.cc"), "-Wl,--build-id=" + build_id, "-o",
               "program"},
              directory);
  run_or_fail({"objcopy", "--only-keep-debug", "program", "program.debug"}, directory);
  run_or_fail({"objcopy", "-S", "--add-gnu-debuglink=program.debug", "program", "stripped"},
              directory);
  return directory;
}

}  // namespace

TEST_CASE("a debug file is found by build-id") {
  if (!have_programs({"g++", "objcopy"})) return;
  const auto directory = build("debug_by_id", "0xabcdef0123");
  const auto home = directory / "debug" / ".build-id" / "ab";
  std::filesystem::create_directories(home);
  std::filesystem::rename(directory / "program.debug", home / "cdef0123.debug");
  const auto image = open_image(directory / "stripped");
  Warnings warnings;
  const auto found =
      find_debug_file(*image, {{directory / "absent", directory / "debug"}}, warnings);
  REQUIRE(found);
  CHECK(found->path() == home / "cdef0123.debug");
  CHECK(warnings.empty());
  CHECK_FALSE(find_debug_file(*image, {{directory / "absent"}}, warnings));
  CHECK(warnings.empty());

  SECTION("but not when its own build-id differs") {
    run_or_fail({"g++", program_source("object_shapes.cc"), "-Wl,--build-id=0x99", "-o",
                 (home / "cdef0123.debug").string()},
                directory);
    CHECK_FALSE(find_debug_file(*image, {{directory / "debug"}}, warnings));
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].code == ErrorCode::mismatch);
    CHECK_THAT(describe(warnings[0]), Catch::Contains("build-id abcdef0123 expected, 99 found"));
  }
}

TEST_CASE("a debug file is found by debug link, in each of its places") {
  if (!have_programs({"g++", "objcopy"})) return;
  const auto choice = GENERATE(0U, 1U, 2U);
  const auto directory = build("debug_by_link", "none");
  const auto image = open_image(directory / "stripped");
  const auto global = directory / "global";
  const std::filesystem::path places[] = {directory, directory / ".debug",
                                          global / directory.relative_path()};
  const auto& place = places[choice];
  std::filesystem::create_directories(place);
  if (place != directory) {
    std::filesystem::rename(directory / "program.debug", place / "program.debug");
  }
  Warnings warnings;
  const auto found = find_debug_file(*image, {{global}}, warnings);
  REQUIRE(found);
  CHECK(found->path() == place / "program.debug");
  CHECK(warnings.empty());

  SECTION("but not when its checksum differs") {
    std::ofstream(place / "program.debug", std::ios::app) << "changed";
    CHECK_FALSE(find_debug_file(*image, {{global}}, warnings));
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(describe(warnings[0]), Catch::Contains("checksum"));
  }
}

TEST_CASE("a debug link that leads elsewhere is not followed") {
  if (!have_programs({"g++", "objcopy"})) return;
  const auto directory = build("debug_link_elsewhere", "none");
  std::string link("../program.debug\0\0\0\0", 20);
  link += std::string(4, '\1');
  write_file(directory / "link", link);
  run_or_fail({"objcopy", "--update-section", ".gnu_debuglink=link", "stripped"}, directory);
  const auto image = open_image(directory / "stripped");
  REQUIRE(image->debug_link());
  CHECK(image->debug_link()->file_name == "../program.debug");
  Warnings warnings;
  CHECK_FALSE(find_debug_file(*image, {{}}, warnings));
}
