// Which files may be opened by whom.
#include "engine/support/file_access.h"

#include <filesystem>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "engine/support/input_file.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;
namespace fs = std::filesystem;

namespace {

struct Confined {
  fs::path folder = fresh_directory("file-access");
  fs::path inside = folder / "inside";
  fs::path outside = folder / "outside";

  Confined() {
    fs::create_directories(inside);
    fs::create_directories(outside);
    for (const fs::path& place : {inside, outside}) write_file(place / "file", "text");
    confine_files(*FolderBounds::of({inside}));
  }
  Confined(const Confined&) = delete;
  Confined& operator=(const Confined&) = delete;
  ~Confined() { confine_files(nullptr); }
};

}  // namespace

TEST_CASE("files outside of the folders are opened by nobody who was given their names") {
  const Confined confined;
  fs::create_symlink(confined.outside / "file", confined.inside / "link");
  fs::create_symlink("file", confined.inside / "own link");
  CHECK(InputFile::open(confined.inside / "file"));
  CHECK(InputFile::open(confined.inside / "own link"));
  for (const fs::path& path : {confined.outside / "file", confined.inside / "link",
                               confined.inside / ".." / "outside" / "file"}) {
    const auto refused = InputFile::open(path);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::unreadable);
    CHECK_FALSE(check_file_access(path));
    CHECK_FALSE(read_unsized_file(path, 100));
  }
  CHECK(InputFile::open(confined.outside / "file", FileUse::own));
  CHECK(InputFile::open(confined.outside / "file", FileUse::debug_file));
  // A link that has changed since its path was checked.
  const auto file = InputFile::open(confined.outside / "file", FileUse::own);
  REQUIRE(file);
  CHECK_FALSE(check_open_file(file->descriptor(), confined.inside / "file", FileUse::named));
}

TEST_CASE("what is no regular file is not opened") {
  const Confined confined;
  confine_files(nullptr);
  const fs::path pipe = confined.inside / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const fs::path& path : {pipe, fs::path("/dev/zero"), confined.inside}) {
    const auto refused = InputFile::open(path);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::unreadable);
    CHECK_FALSE(read_unsized_file(path, 100));
  }
  CHECK(*read_unsized_file(confined.inside / "file", 3) == "tex");
  CHECK(*read_unsized_file(confined.inside / "file", 100) == "text");
  CHECK(read_unsized_file("/proc/self/status", 1 << 16)->size() > 100);
}
