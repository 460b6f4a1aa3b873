#include "engine/support/text_blocks.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;

namespace {

// What is done with whole lines, and how large the blocks are.
struct Lines {
  std::string text;
  std::size_t largest_block = 0;
  std::size_t blocks = 0;

  Expected<void> read(const TextBlocks& blocks_of_text) {
    return blocks_of_text.read([this](std::string_view block, bool is_last) {
      largest_block = std::max(largest_block, block.size());
      ++blocks;
      const std::size_t used = is_last ? block.size() : block.rfind('\n') + 1;
      text += block.substr(0, used);
      return used;
    });
  }
};

InputFile opened(const std::filesystem::path& path) {
  auto file = InputFile::open(path);
  REQUIRE(file);
  return *std::move(file);
}

}  // namespace

TEST_CASE("text blocks: lines stay whole, whatever the size of blocks") {
  const std::string text =
      "\xef\xbb\xbf"
      "one\n\nthree and more\n4\nfive, without an end";
  const std::string_view without_mark = std::string_view(text).substr(3);
  // A byte order mark is known by three bytes.
  for (std::size_t size = 3; size <= text.size() + 1; ++size) {
    CAPTURE(size);
    Lines lines;
    REQUIRE(lines.read(TextBlocks(text, size)));
    CHECK(lines.text == without_mark);
  }
  Lines none;
  REQUIRE(none.read(TextBlocks(std::string_view())));
  CHECK(none.blocks == 0);
}

TEST_CASE("amplification: a text of any size is read in blocks of one") {
  const auto directory = fresh_directory("text blocks");
  const auto largest_of = [&](std::size_t size) {
    std::ofstream out(directory / "text", std::ios::binary);
    const std::string line(99, 'x');
    for (std::size_t written = 0; written < size; written += line.size() + 1) out << line << '\n';
    out.close();
    const InputFile file = opened(directory / "text");
    Lines lines;
    REQUIRE(lines.read(TextBlocks(file)));
    CHECK(lines.text.size() == file.size());
    return lines.largest_block;
  };
  constexpr std::size_t size = 5 * TextBlocks::usual_block_size / 2;
  CHECK(largest_of(size) == TextBlocks::usual_block_size);
  CHECK(largest_of(2 * size) == TextBlocks::usual_block_size);
}

TEST_CASE("amplification: a line without end is read in blocks of a bounded size") {
  const auto path = fresh_directory("text without lines") / "text";
  std::ofstream(path).put('x');
  std::filesystem::resize_file(path, 3 * TextBlocks::max_block_size + 1);
  const InputFile file = opened(path);
  std::size_t largest = 0;
  std::uint64_t done = 0;
  REQUIRE(TextBlocks(file).read([&](std::string_view block, bool is_last) -> std::size_t {
    largest = std::max(largest, block.size());
    if (is_last) done += block.size();
    return is_last ? block.size() : 0;
  }));
  CHECK(largest == TextBlocks::max_block_size);
  CHECK(done == file.size());
}

TEST_CASE("text blocks: a file that becomes shorter meanwhile is an error") {
  const auto path = fresh_directory("shorter text") / "text";
  std::ofstream(path) << "one\ntwo\n";
  const InputFile file = opened(path);
  std::filesystem::resize_file(path, 4);
  Lines lines;
  const auto read = lines.read(TextBlocks(file));
  REQUIRE_FALSE(read);
  CHECK(read.error().code == ErrorCode::truncated);
}
