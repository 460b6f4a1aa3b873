#include "engine/support/snapshot_file.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "tests/support/files.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

struct Pair {
  std::uint32_t a = 0;
  std::uint16_t b = 0;
  friend bool operator==(const Pair&, const Pair&) = default;
};

void write_index(const fs::path& path, const std::vector<Pair>& pairs, std::size_t large = 0) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  REQUIRE(descriptor >= 0);
  SnapshotFileWriter index(descriptor, 7);
  index.array(pairs);
  index.text("seven..");
  index.number(-2.5);
  index.optional(std::optional<std::uint16_t>(7));
  index.list(std::vector<std::string>{"x", ""}, [&](const std::string& s) { index.text(s); });
  index.array(std::vector<std::uint64_t>(large, 3));
  CHECK(index.finish());
  ::close(descriptor);
}

}  // namespace

TEST_CASE("what was written into an index is read from it") {
  const fs::path path = fresh_directory("stored-index") / "index";
  const std::vector<Pair> pairs = {{1, 2}, {3, 4}, {5, 6}};
  write_index(path, pairs, 5'000'000);
  SnapshotFileReader index(SnapshotFile::open(path, most_bytes));
  REQUIRE(index.good());
  std::vector<Pair> read;
  index.array(read);
  CHECK(read == pairs);
  CHECK(index.view_text() == "seven..");
  double number = 0;
  index.number(number);
  CHECK(number == -2.5);
  std::optional<std::uint16_t> optional;
  index.optional(optional);
  CHECK(optional == 7);
  std::vector<std::string> texts;
  index.list(texts, [&](std::string& text) { index.text(text); });
  CHECK(texts == std::vector<std::string>{"x", ""});
  CHECK(index.view<std::uint64_t>().size() == 5'000'000);
  CHECK(index.good());
  // Nothing follows it.
  std::uint64_t more = 1;
  index.number(more);
  CHECK(more == 0);
  CHECK_FALSE(index.good());
}

TEST_CASE("an index that is read as something else gives nothing") {
  const fs::path path = fresh_directory("stored-index-else") / "index";
  write_index(path, {{1, 2}});
  SnapshotFileReader index(SnapshotFile::open(path, most_bytes));
  CHECK(index.view<std::uint32_t>().empty());
  CHECK_FALSE(index.good());
  CHECK(index.view_text().empty());
  CHECK_FALSE(SnapshotFileReader(nullptr).good());
}

TEST_CASE("no byte of an index can change, and none be missing, without its being void") {
  const fs::path path = fresh_directory("stored-index-damage") / "index";
  write_index(path, {{1, 2}, {3, 4}});
  const std::string whole = read_file(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    write_file(path, damaged);
    INFO("byte " << i);
    CHECK(SnapshotFile::open(path, most_bytes) == nullptr);
    write_file(path, whole.substr(0, i));
    CHECK(SnapshotFile::open(path, most_bytes) == nullptr);
  }
  write_file(path, whole);
  CHECK(SnapshotFile::open(path, most_bytes) != nullptr);
  CHECK(SnapshotFile::open(path, whole.size() - 1) == nullptr);
}

TEST_CASE("an index that is read, as on file systems of others, says what a mapped one does") {
  const fs::path path = fresh_directory("stored-index-read") / "index";
  const std::vector<Pair> pairs = {{1, 2}, {3, 4}};
  write_index(path, pairs, 3'000'000);
  const auto mapped = SnapshotFile::open(path, most_bytes);
  const auto read = SnapshotFile::open(path, most_bytes, {}, SnapshotFile::Access::read);
  REQUIRE(mapped);
  REQUIRE(read);
  REQUIRE(read->items().size() == mapped->items().size());
  CHECK(std::equal(read->items().begin(), read->items().end(), mapped->items().begin()));
  // Data that was read stays when the file is truncated.
  fs::resize_file(path, 10);
  SnapshotFileReader index(read);
  std::vector<Pair> found;
  index.array(found);
  CHECK(found == pairs);
  CHECK(index.view_text() == "seven..");
}

TEST_CASE("an index that is read wants to be where one that is mapped wants to be") {
  const fs::path path = fresh_directory("stored-index-place") / "index";
  write_index(path, {{1, 2}});
  // The thread sanitizer reserves that address range.
  const bool is_taken = SnapshotFile::open(path, most_bytes)->displacement() != 0;
  const auto read = SnapshotFile::open(path, most_bytes, {}, SnapshotFile::Access::read);
  REQUIRE(read);
  CHECK((read->displacement() != 0) == is_taken);
}

TEST_CASE("a truth value of an index is 0 or 1") {
  const fs::path path = fresh_directory("stored-index-truth") / "index";
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  REQUIRE(descriptor >= 0);
  SnapshotFileWriter writer(descriptor, 7);
  writer.number(true);
  writer.number(std::uint64_t{2});
  CHECK(writer.finish());
  ::close(descriptor);
  SnapshotFileReader index(SnapshotFile::open(path, most_bytes));
  bool value = false;
  index.number(value);
  CHECK(value);
  CHECK(index.good());
  index.number(value);
  CHECK_FALSE(index.good());
}
