#include "server/sources/build_texts.h"

#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>

#include "server/sources/source_text.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/unit/analysis/profiled_source.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace fs = std::filesystem;

namespace {

constexpr FileTime second = 1'000'000'000;
// When the tests' executable was linked.
constexpr FileTime linked = 1'700'000'000 * second;

LineHashes hashes(std::string_view text) { return hash_lines(text, LineTable(text)); }

SourceDigest digest_of(std::string_view text) { return md5(std::as_bytes(std::span(text))); }

void set_modified(const fs::path& file, FileTime time) {
  const timespec to = {time / second, time % second};
  const timespec times[] = {to, to};
  REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0);
}

// A source, a build of it, and servers that start and stop.
struct Fixture {
  explicit Fixture(const std::string& name)
      : directory(fresh_directory("build-texts-" + name)), cache_directory(directory / "lines") {
    restart();
  }

  void restart() { texts = make_texts("build-id:1"); }
  [[nodiscard]] std::unique_ptr<BuildTexts> make_texts(const std::string& build) const {
    return std::make_unique<BuildTexts>(build, std::make_shared<LineCache>(cache_directory));
  }
  void write(std::string_view text, FileTime modified) const {
    write_file(source, text);
    set_modified(source, modified);
  }
  [[nodiscard]] BuildSource asked() const {
    BuildSource asked;
    asked.build_path = "/build/a.c";
    asked.file = source;
    asked.executable_modified = linked;
    return asked;
  }
  [[nodiscard]] BuildSource asked_with(std::string_view compiled) const {
    BuildSource with_digest = asked();
    with_digest.digest = digest_of(compiled);
    return with_digest;
  }

  fs::path directory;
  fs::path cache_directory;
  fs::path source = directory / "a.c";
  std::unique_ptr<BuildTexts> texts;
};

constexpr std::string_view compiled = "int a;\nint b;\nint c;\n";
constexpr std::string_view edited = "int a;\nint new;\nint b;\nint c;\n";

}  // namespace

TEST_CASE("without a digest, a file that is no newer than the executable is what was compiled") {
  const Fixture f("time");
  f.write(compiled, linked);
  const auto lines = f.texts->of(f.asked());
  REQUIRE(lines);
  CHECK(*lines == hashes(compiled));
  CHECK(f.texts->of(f.asked()) == lines);
  f.write(edited, linked + 1);
  CHECK(f.texts->of(f.asked()) == lines);
  fs::remove(f.source);
  CHECK(f.texts->of(f.asked()) == lines);
}

TEST_CASE("a file that is newer by a nanosecond is not known") {
  const Fixture f("newer");
  f.write(compiled, linked + 1);
  CHECK_FALSE(f.texts->of(f.asked()));
  BuildSource unknown_time = f.asked();
  unknown_time.executable_modified = 0;
  CHECK_FALSE(f.texts->of(unknown_time));
  // Built again since.
  BuildSource built = f.asked();
  built.executable_modified = linked + 2;
  REQUIRE(f.texts->of(built));
  CHECK(*f.texts->of(built) == hashes(compiled));
}

TEST_CASE("what was seen in step is known to later servers, whatever time stamps say then") {
  Fixture f("later");
  f.write(compiled, linked - 10 * second);
  REQUIRE(f.texts->of(f.asked()));
  for (const FileTime modified : {linked + 5, linked - 10 * second, linked - 20 * second}) {
    f.write(edited, modified);
    f.restart();
    const auto lines = f.texts->of(f.asked());
    REQUIRE(lines);
    CHECK(*lines == hashes(compiled));
  }
  // Another build knows nothing about it.
  f.write(edited, linked + 5);
  CHECK_FALSE(f.make_texts("build-id:2")->of(f.asked()));
  // Nor does a server with another cache.
  fs::remove_all(f.cache_directory);
  f.restart();
  CHECK_FALSE(f.texts->of(f.asked()));
}

TEST_CASE("a digest outranks time stamps") {
  const Fixture f("digest");
  f.write(edited, linked - 10 * second);
  CHECK_FALSE(f.texts->of(f.asked_with(compiled)));
  f.write(compiled, linked + 10 * second);
  const auto lines = f.texts->of(f.asked_with(compiled));
  REQUIRE(lines);
  CHECK(*lines == hashes(compiled));
  // Found by its text: this also serves other programs.
  f.write(edited, linked + 20 * second);
  const auto other = f.make_texts("build-id:2")->of(f.asked_with(compiled));
  REQUIRE(other);
  CHECK(*other == hashes(compiled));
  // The file at the same path in another build.
  const auto rebuilt = f.texts->of(f.asked_with(edited));
  REQUIRE(rebuilt);
  CHECK(*rebuilt == hashes(edited));
}

TEST_CASE("where units were compiled from different texts, none is known") {
  const Fixture f("conflict");
  f.write(compiled, linked - second);
  BuildSource conflicting = f.asked();
  conflicting.conflicting_digests = true;
  CHECK_FALSE(f.texts->of(conflicting));
  CHECK_FALSE(fs::exists(f.cache_directory));
}

TEST_CASE("a file that was looked at in vain is read again only in another state") {
  const Fixture f("vain");
  f.write("int a;\nint x;\nint c;\n", linked + 5);
  CHECK_FALSE(f.texts->of(f.asked_with(compiled)));
  // Same size and same time: nothing is read.
  f.write(compiled, linked + 5);
  CHECK_FALSE(f.texts->of(f.asked_with(compiled)));
  set_modified(f.source, linked + 6);
  CHECK(f.texts->of(f.asked_with(compiled)));
  CHECK_FALSE(f.texts->of(f.asked_with("never")));
  fs::remove(f.source);
  CHECK_FALSE(f.texts->of(f.asked_with("never")));
}

TEST_CASE("a build that came out the same takes over the newer text") {
  const Fixture f("same");
  f.write("int a;\nf(); // one\nint c;\n", linked - second);
  REQUIRE(f.texts->of(f.asked()));
  const std::string_view other_comment = "int a;\nf(); // two\nint c;\n";
  f.write(other_comment, linked + second);
  CHECK(*f.texts->of(f.asked()) == hashes("int a;\nf(); // one\nint c;\n"));
  BuildSource again = f.asked();
  again.executable_modified = linked + 2 * second;
  CHECK(*f.texts->of(again) == hashes(other_comment));
  // Lines after all the others change nothing either.
  std::string longer(other_comment);
  longer += "// the end\n";
  f.write(longer, linked + 3 * second);
  again.executable_modified = linked + 4 * second;
  CHECK(*f.texts->of(again) == hashes(longer));
  // A line in between would have changed the program: this was copied, not built.
  f.write("int a;\n" + longer, linked + 5 * second);
  again.executable_modified = linked + 6 * second;
  CHECK(*f.texts->of(again) == hashes(longer));
  CHECK(*f.make_texts("build-id:1")->of(again) == hashes(longer));
}

TEST_CASE("a byte order mark is no part of the first line, but of the digest") {
  const Fixture f("mark");
  const std::string marked = "\xEF\xBB\xBF" + std::string(compiled);
  f.write(marked, linked + 1);
  CHECK_FALSE(f.texts->of(f.asked_with(compiled)));
  const auto lines = f.texts->of(f.asked_with(marked));
  REQUIRE(lines);
  CHECK(*lines == hashes(compiled));
}

TEST_CASE("a file that is no source is not read") {
  const fs::path directory = fresh_directory("source-text");
  CHECK(read_source(directory).error().code == ErrorCode::unreadable);
  CHECK(read_source(directory / "missing").error().code == ErrorCode::not_found);
  std::ofstream(directory / "sparse").put(' ');
  fs::resize_file(directory / "sparse", largest_source + 1);
  CHECK(read_source(directory / "sparse").error().code == ErrorCode::unsupported);
  std::ofstream(directory / "empty").flush();
  REQUIRE(read_source(directory / "empty"));
  CHECK(read_source(directory / "empty")->text().empty());
}

TEST_CASE("threads that ask at once get one answer") {
  const Fixture f("threads");
  f.write(compiled, linked - second);
  std::vector<std::shared_ptr<const LineHashes>> answers(8);
  std::vector<std::thread> threads;
  for (auto& answer : answers) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) answer = f.texts->of(f.asked());
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(answers[0]);
  for (const auto& answer : answers) CHECK(answer == answers[0]);
}

namespace {

LoadedProgram load(const test::ProfiledSource& source) {
  LoadedProgram program;
  program.snapshot = test::analyse_or_fail(source.request());
  program.paths =
      std::make_shared<const SourcePaths>(program.snapshot->sources(), std::vector<PathMapping>{},
                                          std::vector<fs::path>{source.directory});
  return program;
}

}  // namespace

TEST_CASE("what is in step after a load is learnt, though nobody looked at it") {
  if (!test::have_programs({"gcc"})) return;
  const test::ProfiledSource source("build-texts-learn", 10, {"gcc", "-g", "-pg", "-O0"});
  const fs::path lines = source.directory / "cache";
  const LoadedProgram program = load(source);
  const std::string key = program.snapshot->program()->identity().key();
  const auto file =
      program.snapshot->sources().find_file((source.directory / "program.c").string());
  REQUIRE(file);
  const BuildSource asked = build_source(program, *file, source.directory / "program.c");
  CHECK(asked.build_path == (source.directory / "program.c").string());
  CHECK_FALSE(asked.digest);
  const auto text = read_source(asked.file);
  REQUIRE(text);
  const LineHashes compiled_lines = hashes(text->text());

  std::atomic<bool> cancelled = true;
  BuildTexts(key, std::make_shared<LineCache>(lines)).persist(program, cancelled);
  CHECK_FALSE(fs::exists(lines));
  cancelled = false;
  BuildTexts(key, std::make_shared<LineCache>(lines)).persist(program, cancelled);

  source.write(11, true);
  set_modified(asked.file, asked.executable_modified + 5 * second);
  BuildTexts later(key, std::make_shared<LineCache>(lines));
  later.persist(program, cancelled);
  REQUIRE(later.of(asked));
  CHECK(*later.of(asked) == compiled_lines);
  // A source that does not match the build is not learnt.
  BuildTexts elsewhere(key, std::make_shared<LineCache>(source.directory / "empty"));
  elsewhere.persist(program, cancelled);
  CHECK_FALSE(elsewhere.of(asked));
}

TEST_CASE("what clang compiled is learnt by its digest") {
  if (!test::have_programs({"clang"})) return;
  const test::ProfiledSource source("build-texts-learn-digest", 10,
                                    {"clang", "-gdwarf-5", "-pg", "-O0"});
  const LoadedProgram program = load(source);
  const auto file =
      program.snapshot->sources().find_file((source.directory / "program.c").string());
  REQUIRE(file);
  const BuildSource asked = build_source(program, *file, source.directory / "program.c");
  const auto text = read_source(asked.file);
  REQUIRE(text);
  REQUIRE(asked.digest);
  CHECK(*asked.digest == md5(text->bytes));
  const std::atomic<bool> cancelled = false;
  const fs::path lines = source.directory / "cache";
  BuildTexts("any", std::make_shared<LineCache>(lines)).persist(program, cancelled);
  source.write(11, true);
  set_modified(asked.file, asked.executable_modified - 5 * second);
  const auto known = BuildTexts("other", std::make_shared<LineCache>(lines)).of(asked);
  REQUIRE(known);
  CHECK(*known == hashes(text->text()));
}
