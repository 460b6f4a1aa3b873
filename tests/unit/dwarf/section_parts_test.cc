// Large sections of a program with known units are read in parts: these must contain the same as
// the whole sections.
#include "engine/dwarf/section_parts.h"

#include <array>
#include <cstring>
#include <fstream>

#include <catch2/catch.hpp>

#include "engine/dwarf/dwarf_sections.h"
#include "tests/support/elf_builder.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::dwarf;
using namespace gprof::test;

namespace {

constexpr std::size_t large = std::size_t{5} << 20;

// Strings of all lengths; the last one is unterminated.
std::vector<std::byte> many_strings() {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; bytes.size() < large; ++i) {
    const std::size_t size = i % 1000 == 999 ? 40'000 : i * 7919 % 100;
    bytes.insert(bytes.end(), size, std::byte{static_cast<unsigned char>('a' + i % 26)});
    bytes.push_back(std::byte{0});
  }
  bytes.insert(bytes.end(), 100, std::byte{'z'});
  return bytes;
}

void put_length(std::vector<std::byte>& bytes, std::uint64_t length, std::size_t size) {
  std::array<std::byte, 8> word{};
  std::memcpy(word.data(), &length, sizeof length);
  bytes.insert(bytes.end(), word.begin(), word.begin() + static_cast<std::ptrdiff_t>(size));
}

// Tables with both kinds of lengths; the last one claims to be longer than the section.
std::vector<std::byte> many_line_tables(std::vector<std::uint64_t>& offsets) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; bytes.size() < large; ++i) {
    const std::size_t size = i * 7919 % 10'000;
    offsets.push_back(bytes.size());
    if (i % 3 == 0) put_length(bytes, 0xFFFFFFFF, 4);
    put_length(bytes, size, i % 3 == 0 ? 8 : 4);
    bytes.insert(bytes.end(), size, std::byte{static_cast<unsigned char>(i)});
  }
  offsets.push_back(bytes.size());
  put_length(bytes, 1'000'000, 4);
  return bytes;
}

// In a folder of the test's own: tests run beside each other.
std::shared_ptr<const Image> image_with(std::string_view test_name, std::vector<std::byte> strings,
                                        std::vector<std::byte> lines) {
  ElfBuilder builder(PointerWidth::eight, ByteOrder::little, EM_X86_64);
  builder.add_section({".debug_str", SHT_PROGBITS, 0, 0, std::move(strings), 0, 0});
  builder.add_section({".debug_line", SHT_PROGBITS, 0, 0, std::move(lines), 0, 0});
  const auto bytes = builder.build();
  const auto path = fresh_directory(test_name) / "program";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  const auto image = Image::open(path);
  REQUIRE(image);
  return *image;
}

}  // namespace

TEST_CASE("sections that are read in parts say what the whole ones say") {
  std::vector<std::uint64_t> tables;
  auto lines = many_line_tables(tables);
  auto strings = many_strings();
  const std::uint64_t string_bytes = strings.size();
  const std::uint64_t line_bytes = lines.size();
  const auto image = image_with("section_parts_large", std::move(strings), std::move(lines));
  const auto parts = load_sections_of_known_units(image);
  REQUIRE(parts);
  REQUIRE(parts->str_parts);
  REQUIRE(parts->line_parts);
  CHECK(parts->str.empty());
  CHECK(parts->line.empty());
  // A separate image, so that its sections have not been read already.
  const auto other = Image::open(image->path());
  REQUIRE(other);
  const auto whole = load_sections(*other, SectionSet::plain);
  REQUIRE(whole);

  // The first ones before much of a section was read, the later ones after.
  for (std::uint64_t offset = 0; offset < string_bytes + 100; offset += 997) {
    const auto found = parts->text_at(offset);
    const auto expected = whole->text_at(offset);
    INFO("at " << offset);
    REQUIRE(found.has_value() == expected.has_value());
    if (found) CHECK(*found == *expected);
    if (!found) CHECK(describe(found.error()) == describe(expected.error()));
  }
  tables.push_back(line_bytes);
  tables.push_back(line_bytes - 2);
  for (const std::uint64_t offset : tables) {
    const auto found = parts->line_bytes(offset);
    const auto all = whole->line_bytes(offset);
    INFO("table at " << offset);
    REQUIRE(found);
    REQUIRE(all);
    REQUIRE(found->size() <= all->size());
    CHECK(std::equal(found->begin(), found->end(), all->begin()));
  }
  // A table is available to its end, where the next one starts.
  CHECK(parts->line_bytes(tables[1])->size() >= tables[2] - tables[1]);
  CHECK(parts->line_bytes(tables[3])->size() >= tables[4] - tables[3]);
  CHECK_FALSE(parts->line_bytes(line_bytes + 1));
}

TEST_CASE("small sections are not read in parts") {
  const auto image =
      image_with("section_parts_small", std::vector<std::byte>(100), std::vector<std::byte>(100));
  const auto sections = load_sections_of_known_units(image);
  REQUIRE(sections);
  CHECK_FALSE(sections->str_parts);
  CHECK_FALSE(sections->line_parts);
  CHECK(sections->str.size() == 100);
  REQUIRE(sections->text_at(5));
  CHECK(sections->text_at(5)->empty());
}
