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

TEST_CASE("a debug file is found where a program was staged to be packaged") {
  if (!have_programs({"g++", "objcopy"})) return;
  const auto [staged, below] =
      GENERATE(std::pair("debian/prog/usr/bin", "debian/.debhelper/prog/dbgsym-root/usr/lib/debug"),
               std::pair("root/usr/bin", "root/usr/lib/debug"));
  const auto directory = build("debug_staged", "0xabcdef0123");
  const auto home = directory / below / ".build-id" / "ab";
  std::filesystem::create_directories(directory / staged);
  std::filesystem::create_directories(home);
  const auto program = directory / staged / "prog";
  run_or_fail({"objcopy", "-S", "program", program.string()}, directory);
  std::filesystem::rename(directory / "program.debug", home / "cdef0123.debug");
  Warnings warnings;
  const auto found = find_debug_file(*open_image(program), {{}}, warnings);
  REQUIRE(found);
  CHECK(found->path() == home / "cdef0123.debug");
  // What has its lines has no need of it.
  CHECK_FALSE(find_debug_file(*open_image(directory / "program"), {{}}, warnings));
  CHECK(warnings.empty());
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

namespace {

// Has one file, and counts how often it is asked.
class OneFile : public DebugFileSource {
 public:
  explicit OneFile(std::filesystem::path file) : file_(std::move(file)) {}
  std::optional<std::filesystem::path> fetch(const std::string& build_id_hex,
                                             const std::string& path) override {
    asked_for.push_back(build_id_hex + " " + path);
    return file_;
  }
  [[nodiscard]] bool gave_up() const override { return false; }

  std::vector<std::string> asked_for;

 private:
  std::filesystem::path file_;
};

}  // namespace

TEST_CASE("debug files are found in the caches of perf and of debuginfod's clients") {
  if (!have_programs({"g++", "objcopy"})) return;
  const auto directory = build("debug_in_caches", "0xabcdef0123");
  const auto perf = directory / "perf" / ".build-id" / "ab";
  const auto downloads = directory / "downloads" / "abcdef0123";
  std::filesystem::create_directories(perf);
  std::filesystem::create_directories(downloads);
  const auto choice = GENERATE(0U, 1U, 2U, 3U);
  const std::filesystem::path places[] = {perf / "cdef0123" / "debug", perf / "cdef0123" / "elf",
                                          perf / "cdef0123", downloads / "debuginfo"};
  const auto& place = places[choice];
  std::filesystem::create_directories(place.parent_path());
  const auto file = directory / (choice == 1 ? "program" : "program.debug");
  if (choice == 2) {  // as older perfs made them
    std::filesystem::create_symlink(file, place);
    std::filesystem::rename(directory / "stripped", directory / "elsewhere");
    std::filesystem::create_directory(directory / "bin");
    std::filesystem::rename(directory / "elsewhere", directory / "bin" / "stripped");
  } else {
    std::filesystem::rename(file, place);
    std::filesystem::remove(directory / "program.debug");
    std::filesystem::create_directory(directory / "bin");
    std::filesystem::rename(directory / "stripped", directory / "bin" / "stripped");
  }
  const auto image = open_image(directory / "bin" / "stripped");
  DebugFileSearch search;
  search.global_directories = {directory / "absent"};
  search.perf_caches = {directory / "perf"};
  search.download_caches = {directory / "downloads"};
  Warnings warnings;
  const auto found = find_debug_file(*image, search, warnings);
  REQUIRE(found);
  CHECK(found->path() == place);
  CHECK(find_image_of_build("abcdef0123", "/gone", search)->path() == place);
  CHECK(find_image_of_build("abcdef0124", "/gone", search) == nullptr);
  // What has all that is needed is not looked for elsewhere.
  CHECK_FALSE(find_debug_file(*found, search, warnings));
  CHECK(warnings.empty());
}

TEST_CASE("what a cache holds of a build adds to it, or is left alone") {
  if (!have_programs({"g++", "objcopy"})) return;
  const auto directory = build("debug_cache_of_no_use", "0xabcdef0123");
  std::filesystem::remove(directory / "program.debug");
  const auto image = open_image(directory / "stripped");
  DebugFileSearch search;
  search.global_directories = {};
  search.perf_caches = {directory / "perf"};
  search.download_caches = {directory / "downloads"};
  const auto perf = directory / "perf" / ".build-id" / "ab" / "cdef0123";
  std::filesystem::create_directories(perf);
  // perf keeps the program as it is, and debuginfod's client an empty file for what nobody has.
  std::filesystem::copy_file(directory / "stripped", perf / "elf");
  std::filesystem::create_directories(directory / "downloads" / "abcdef0123");
  std::ofstream(directory / "downloads" / "abcdef0123" / "debuginfo").flush();
  Warnings warnings;
  CHECK_FALSE(find_debug_file(*image, search, warnings));
  CHECK(warnings.empty());
  CHECK(find_image_of_build("abcdef0123", "/gone", search)->path() == perf / "elf");
}

TEST_CASE("a source is asked for what is nowhere else, and for what is needed") {
  if (!have_programs({"g++", "objcopy"})) return;
  const auto directory = build("debug_from_source", "0xabcdef0123");
  std::filesystem::create_directory(directory / "fetched");
  std::filesystem::rename(directory / "program.debug", directory / "fetched" / "debuginfo");
  const auto source = std::make_shared<OneFile>(directory / "fetched" / "debuginfo");
  DebugFileSearch search;
  search.global_directories = {};
  search.source = source;
  const auto stripped = open_image(directory / "stripped");
  const auto whole = open_image(directory / "program");
  run_or_fail({"objcopy", "-g", "program", "without_lines"}, directory);
  const auto without_lines = open_image(directory / "without_lines");
  Warnings warnings;
  CHECK_FALSE(find_debug_file(*whole, search, warnings));
  CHECK_FALSE(find_debug_file(*without_lines, search, warnings, DebugFileUse::names));
  CHECK(source->asked_for.empty());
  CHECK(find_debug_file(*without_lines, search, warnings));
  CHECK(find_debug_file(*stripped, search, warnings, DebugFileUse::names));
  CHECK_FALSE(find_debug_file(*stripped, search.on_disk(), warnings));
  CHECK(source->asked_for == std::vector<std::string>{"abcdef0123 " + without_lines->path(),
                                                      "abcdef0123 " + stripped->path()});
  CHECK(warnings.empty());

  SECTION("but what it brings must be of the build") {
    run_or_fail({"g++", program_source("object_shapes.cc"), "-Wl,--build-id=0x99", "-o",
                 (directory / "fetched" / "debuginfo").string()},
                directory);
    CHECK_FALSE(find_debug_file(*stripped, search, warnings));
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(describe(warnings[0]), Catch::Contains("build-id abcdef0123 expected, 99 found"));
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
