#include "engine/support/folder_bounds.h"

#include <filesystem>

#include <catch2/catch.hpp>

#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;

namespace fs = std::filesystem;

TEST_CASE("what lies within bounds is told by where it leads") {
  const fs::path root = fresh_directory("folder-bounds");
  fs::create_directories(root / "in/deep");
  fs::create_directories(root / "inner");  // has the other's name as a prefix
  fs::create_directories(root / "out");
  write_file(root / "in/file", "a");
  write_file(root / "out/file", "a");
  fs::create_symlink(root / "out", root / "in/to-out");
  fs::create_symlink(root / "out/file", root / "in/file-out");
  fs::create_symlink("../out/nothing", root / "in/nothing-out");
  fs::create_symlink("deep", root / "in/to-deep");
  fs::create_symlink("loop", root / "in/loop");
  fs::create_symlink(root / "in", root / "out/to-in");

  // Through a link, as a user may name it.
  const auto made = FolderBounds::of({root / "out/to-in"});
  REQUIRE(made);
  const FolderBounds& bounds = **made;
  for (const char* inside :
       {"in", "in/", "in/file", "in/deep", "in/nothing", "in/no/such/file", "in/to-deep",
        "in/to-deep/new", "out/to-in/file", "in/../in/file", "out/../in/deep/.."}) {
    CAPTURE(inside);
    CHECK(bounds.contains(root / inside));
  }
  for (const char* outside :
       {".", "out", "out/file", "inner", "in/..", "in/../out/file", "in/to-out", "in/to-out/file",
        "in/to-out/new", "in/file-out", "in/nothing-out", "in/loop", "nothing"}) {
    CAPTURE(outside);
    CHECK_FALSE(bounds.contains(root / outside));
    const Error refusal = bounds.refusal(root / outside);
    CHECK(refusal.message.find((root / "in").string()) != std::string::npos);
  }
  CHECK_FALSE(bounds.contains("/"));
  CHECK_FALSE(bounds.contains(""));
  CHECK(is_within(nullptr, "/"));
  fs::remove_all(root);
}

TEST_CASE("bounds are folders that are there") {
  CHECK(FolderBounds::of({}).error().code == ErrorCode::invalid_argument);
  CHECK(FolderBounds::of({"/", "/no/such/folder"}).error().path == "/no/such/folder");
  CHECK(FolderBounds::of({"/dev/null"}).error().code == ErrorCode::not_found);
  CHECK((*FolderBounds::of({"/"}))->contains("/etc/passwd"));
}
