#include "engine/dwarf/die_tree.h"

#include <catch2/catch.hpp>

#include "tests/support/elf_builder.h"
#include "tests/unit/dwarf/section_builder.h"

using namespace gprof;
using namespace gprof::dwarf;
using gprof::test::SectionBuilder;

namespace {

// Abbreviations: 1 unit, 2 lexical block with children, 3 base type, 4 namespace with children.
SectionBuilder abbreviations() {
  SectionBuilder abbrev(ByteOrder::little);
  abbrev.uleb128(1).uleb128(0x11).u8(1).u8(0).u8(0);
  abbrev.uleb128(2).uleb128(0x0B).u8(1).u8(0).u8(0);
  abbrev.uleb128(3).uleb128(0x24).u8(0).u8(0).u8(0);
  abbrev.uleb128(4).uleb128(0x39).u8(1).uleb128(0x03).uleb128(0x08).u8(0).u8(0);
  return abbrev.u8(0);
}

// A DWARF 4 unit around the entries.
SectionBuilder unit_around(const SectionBuilder& entries) {
  SectionBuilder info(ByteOrder::little);
  info.u32(7 + entries.size() + 2).u16(4).u32(0).u8(8);
  return info.u8(1).append(entries).u8(0);
}

Expected<DieTree> tree_of(const SectionBuilder& entries) {
  const SectionBuilder abbrev = abbreviations();
  const SectionBuilder info = unit_around(entries);
  DwarfSections sections;
  sections.info = info.bytes();
  sections.abbrev = abbrev.bytes();
  sections.path = "program";
  Warnings warnings;
  const auto headers = read_unit_headers(sections, warnings);
  REQUIRE(headers.size() == 1);
  test::ElfBuilder elf(PointerWidth::eight, ByteOrder::little, EM_X86_64);
  elf.add_text(0x1000, std::vector<std::byte>(16));
  const auto image = Image::from_bytes(elf.build(), "program");
  REQUIRE(image);
  auto unit = LibdwarfUnit::open(sections, headers.front());
  INFO((unit ? "" : describe(unit.error())));
  REQUIRE(unit);
  UnitValues values(sections, *unit);
  auto tree = read_die_tree(*unit, values, CodeFilter(**image), Language::cpp);
  if (tree) {
    // Names are views of the sections, which end here.
    for (DieNode& node : tree->nodes) node.name = {};
  }
  return tree;
}

}  // namespace

TEST_CASE("entries keep their order and their parents through blocks that are no scopes") {
  SectionBuilder entries(ByteOrder::little);
  entries.u8(4).string("a").u8(2).u8(3).u8(4).string("b").u8(0).u8(0).u8(0).u8(4).string("c").u8(0);
  const auto tree = tree_of(entries);
  REQUIRE(tree);
  REQUIRE(tree->nodes.size() == 3);
  CHECK(tree->nodes[0].parent == no_node);
  CHECK(tree->nodes[1].parent == 0);
  CHECK(tree->nodes[2].parent == no_node);
  CHECK(tree->find(tree->nodes[1].offset) == 1);
  CHECK(tree->find(tree->nodes[1].offset + 1) == no_node);
}

TEST_CASE("entries nested beyond reason are an error, not a crash") {
  SectionBuilder entries(ByteOrder::little);
  for (int i = 0; i < 100'000; ++i) entries.u8(2);
  const auto tree = tree_of(entries);
  REQUIRE_FALSE(tree);
  CHECK_THAT(tree.error().message, Catch::Contains("nested deeper"));
}

TEST_CASE("nesting that would make the reading quadratic is an error, not a wait") {
  SectionBuilder entries(ByteOrder::little);
  for (int i = 0; i < 400; ++i) entries.u8(2);
  for (int i = 0; i < 50'000; ++i) entries.u8(3);
  for (int i = 0; i < 400; ++i) entries.u8(0);
  const auto tree = tree_of(entries);
  REQUIRE_FALSE(tree);
  CHECK_THAT(tree.error().message, Catch::Contains("nested deeper"));
}
