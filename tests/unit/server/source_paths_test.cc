#include "server/sources/source_paths.h"

#include <filesystem>

#include <catch2/catch.hpp>

#include "engine/program.h"
#include "tests/support/build_program.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

using gprof::Program;
using gprof::lsp::exchange_prefix;
using gprof::lsp::SourcePaths;

namespace fs = std::filesystem;

namespace {

// Of a program in `folder`/build whose compiler was told to call `folder` ".", as packages of
// Debian do it, and to compile main.cc and lib/main.cc.
std::shared_ptr<const Program> built_as_dot(const fs::path& folder) {
  fs::create_directories(folder / "lib");
  fs::create_directories(folder / "build");
  fs::create_directories(folder / "tests");
  gprof::test::write_file(folder / "main.cc", "int used();\nint main() { return used(); }\n");
  gprof::test::write_file(folder / "lib/main.cc", "int used() { return 0; }\n");
  gprof::test::write_file(folder / "tests/main.cc", "int main() {}\n");
  gprof::test::run_or_fail(
      {"g++", "-g", "-ffile-prefix-map=" + folder.string() + "=.", (folder / "main.cc").string(),
       (folder / "lib/main.cc").string(), "-o", "prog"},
      folder / "build");
  auto program = Program::open(folder / "build/prog");
  if (!program) FAIL(describe(program.error()));
  return *program;
}

}  // namespace

TEST_CASE("a prefix is one of directories, not of letters") {
  CHECK(exchange_prefix("/src/a/b.c", "/src", "/w/me") == "/w/me/a/b.c");
  CHECK(exchange_prefix("/src/a/b.c", "/src/", "/w/me/") == "/w/me/a/b.c");
  CHECK(exchange_prefix("/src", "/src", "/w/me") == "/w/me");
  CHECK(exchange_prefix("/a.c", "/", "/w2") == "/w2/a.c");
  CHECK(exchange_prefix("./a/b.c", ".", "/w/me") == "/w/me/a/b.c");
  CHECK_FALSE(exchange_prefix("/src2/a.c", "/src", "/w/me"));
  CHECK_FALSE(exchange_prefix("/a.c", "", "/w/me"));
}

TEST_CASE("files of a build that forgot its folder are found beside its executable") {
  if (!gprof::test::have_programs({"g++"})) return;
  const fs::path workspace = gprof::test::fresh_directory("paths_of_dot");
  // Opened alone, or among others that have files of the same names.
  const fs::path folder = GENERATE(0, 1) == 0 ? workspace : workspace / "package";
  const auto program = built_as_dot(folder);
  if (folder != workspace) gprof::test::write_file(workspace / "main.cc", "int main() {}\n");
  const SourcePaths paths(program->sources(), {}, {workspace}, nullptr, folder / "build/prog");
  const auto main = paths.file_of(folder / "main.cc");
  const auto library = paths.file_of(folder / "lib/main.cc");
  REQUIRE(main);
  REQUIRE(library);
  CHECK(*main != *library);
  CHECK(paths.workspace_path(*main) == folder / "main.cc");
  CHECK(paths.workspace_path(*library) == folder / "lib/main.cc");
  CHECK_FALSE(paths.file_of(folder / "tests/main.cc"));
  if (folder != workspace) CHECK_FALSE(paths.file_of(workspace / "main.cc"));
}
