// Files that were packed to be handed over.
#include "engine/support/packed_file.h"

#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/build_program.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;
using Catch::Contains;

namespace {

std::string text_of(const InputFile& file) {
  const auto bytes = file.read_all();
  REQUIRE(bytes);
  return {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

struct Packer {
  std::string_view suffix;
  std::vector<std::string> command;
};

}  // namespace

TEST_CASE("packed files are read as what they unpack to") {
  if (!have_programs({"gzip", "xz", "zstd"})) return;
  const auto folder = fresh_directory("packed-files");
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "main;work_" + std::to_string(i % 100) + " 1\n";
  for (const Packer& packer :
       {Packer{".gz", {"gzip", "-k", "text"}}, Packer{".xz", {"xz", "-k", "text"}},
        Packer{".zst", {"zstd", "-q", "text"}}}) {
    CAPTURE(packer.suffix);
    write_file(folder / "text", text);
    run_or_fail(packer.command, folder);
    const auto path = folder / ("text" + std::string(packer.suffix));
    const auto packed = InputFile::open(path);
    const auto file = open_unpacked(path);
    REQUIRE(packed);
    REQUIRE(file);
    CHECK(text_of(*file) == text);
    CHECK(file->size() == text.size());
    CHECK(file->stored_size() == packed->size());
    CHECK(file->path() == path.string());
    CHECK(file->modified() == packed->modified());
    CHECK_FALSE(file->written_since());
    const auto part = file->read_at(5, 4);
    REQUIRE(part);
    CHECK(std::string_view(reinterpret_cast<const char*>(part->data()), 4) == text.substr(5, 4));
    CHECK_FALSE(file->read_at(text.size() - 3, 4));

    // Cut, or damaged in the middle.
    std::string bytes = text_of(*packed);
    write_file(folder / "cut", bytes.substr(0, bytes.size() / 2));
    const auto cut = open_unpacked(folder / "cut");
    REQUIRE_FALSE(cut);
    CHECK(cut.error().path == (folder / "cut").string());
    CHECK_THAT(cut.error().message, Contains("damaged"));
  }
  write_file(folder / "plain", text);
  const auto plain = open_unpacked(folder / "plain");
  REQUIRE(plain);
  CHECK(plain->descriptor() >= 0);
  CHECK(plain->stored_size() == text.size());
  CHECK_FALSE(open_unpacked(folder / "nothing"));
}

TEST_CASE("amplification: a packed file unpacks to no more than its size allows") {
  if (!have_programs({"gzip"})) return;
  const auto folder = fresh_directory("packed-bomb");
  write_file(folder / "zeros", std::string(std::size_t{96} << 20, '\0'));
  run_or_fail({"gzip", "zeros"}, folder);
  const auto file = open_unpacked(folder / "zeros.gz");
  REQUIRE_FALSE(file);
  CHECK(file.error().code == ErrorCode::unsupported);
  CHECK_THAT(file.error().message, Contains("unpacks to more than"));
}

TEST_CASE("what is packed in another way is called by its name") {
  const auto folder = fresh_directory("packed-others");
  write_file(folder / "x.bz2", "BZh91AY&SY and so on");
  const auto file = open_unpacked(folder / "x.bz2");
  REQUIRE_FALSE(file);
  CHECK_THAT(file.error().message, Contains("bzip2"));
  CHECK(unpacked_name("perf.data.gz") == "perf.data");
  CHECK(unpacked_name("a.folded.zst") == "a.folded");
  CHECK(unpacked_name("callgrind.out.1.xz") == "callgrind.out.1");
  CHECK(unpacked_name(".gz") == ".gz");
  CHECK(unpacked_name("gmon.out") == "gmon.out");
}
