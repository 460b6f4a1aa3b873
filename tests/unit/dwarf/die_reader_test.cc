// Entries in every form, which no single compiler writes.
#include "engine/dwarf/die_reader.h"

#include <catch2/catch.hpp>
#include <dwarf.h>

#include "tests/unit/dwarf/section_builder.h"

using namespace gprof;
using namespace gprof::dwarf;
using gprof::test::SectionBuilder;

namespace {

struct Value {
  std::uint16_t form;
  SectionBuilder bytes;
  std::uint64_t number;
};

// A unit in memory: a version 5 header of 12 or 20 bytes, then what is appended to `entries`.
struct TestUnit {
  explicit TestUnit(ByteOrder byte_order, std::uint8_t offset_bytes = 4)
      : order(byte_order), abbrev(byte_order), entries(byte_order), offset_size(offset_bytes) {}

  ByteOrder order;
  SectionBuilder abbrev;
  SectionBuilder entries;
  std::uint8_t offset_size;
  SectionBuilder info{order};
  DwarfSections sections;

  [[nodiscard]] std::size_t header_size() const { return offset_size == 8 ? 24 : 12; }

  DieReader reader() {
    for (std::size_t i = 0; i < header_size(); ++i) info.u8(0);
    info.append(entries);
    sections.info = info.bytes();
    sections.abbrev = abbrev.bytes();
    sections.order = order;
    sections.path = "program";
    UnitHeader header;
    header.end = info.size();
    header.version = 5;
    header.offset_size = offset_size;
    return {sections, header};
  }
};

SectionBuilder bytes_of(ByteOrder order) { return SectionBuilder(order); }

// One value of each form with a size defined by DWARF, and the number it represents.
std::vector<Value> all_values(ByteOrder order, std::uint8_t offset_size) {
  const auto fixed = [&](std::uint64_t value, unsigned size) {
    return bytes_of(order).integer(value, size);
  };
  const auto uleb = [&](std::uint64_t value) { return bytes_of(order).uleb128(value); };
  std::vector<Value> values;
  const auto add = [&](std::initializer_list<int> forms, const SectionBuilder& bytes,
                       std::uint64_t number) {
    for (const int form : forms) {
      values.push_back({static_cast<std::uint16_t>(form), bytes, number});
    }
  };
  add({DW_FORM_data1, DW_FORM_ref1, DW_FORM_flag, DW_FORM_strx1, DW_FORM_addrx1}, fixed(0x81, 1),
      0x81);
  add({DW_FORM_data2, DW_FORM_ref2, DW_FORM_strx2, DW_FORM_addrx2}, fixed(0x8123, 2), 0x8123);
  add({DW_FORM_strx3, DW_FORM_addrx3}, fixed(0x812345, 3), 0x812345);
  add({DW_FORM_data4, DW_FORM_ref4, DW_FORM_ref_sup4, DW_FORM_strx4, DW_FORM_addrx4},
      fixed(0x81234567, 4), 0x81234567);
  add({DW_FORM_data8, DW_FORM_ref8, DW_FORM_ref_sig8, DW_FORM_ref_sup8, DW_FORM_addr},
      fixed(0x8123456789abcdef, 8), 0x8123456789abcdef);
  add({DW_FORM_strp, DW_FORM_line_strp, DW_FORM_strp_sup, DW_FORM_sec_offset, DW_FORM_ref_addr,
       DW_FORM_GNU_ref_alt, DW_FORM_GNU_strp_alt},
      fixed(0x71234567, offset_size), 0x71234567);
  add({DW_FORM_udata, DW_FORM_ref_udata, DW_FORM_strx, DW_FORM_addrx, DW_FORM_loclistx,
       DW_FORM_rnglistx, DW_FORM_GNU_addr_index, DW_FORM_GNU_str_index},
      uleb(0x12345), 0x12345);
  values.push_back({DW_FORM_sdata, bytes_of(order).u8(0x7e), ~std::uint64_t{1}});
  values.push_back({DW_FORM_flag_present, bytes_of(order), 1});
  values.push_back({DW_FORM_data16, fixed(1, 8).u64(2), 0});
  values.push_back({DW_FORM_string, bytes_of(order).string("text"), 0});
  values.push_back({DW_FORM_block1, bytes_of(order).u8(3).u8(1).u8(2).u8(3), 0});
  values.push_back({DW_FORM_block2, bytes_of(order).u16(1).u8(1), 0});
  values.push_back({DW_FORM_block4, bytes_of(order).u32(1).u8(1), 0});
  values.push_back({DW_FORM_block, uleb(2).u8(1).u8(2), 0});
  values.push_back({DW_FORM_exprloc, uleb(1).u8(0x9c), 0});
  values.push_back({DW_FORM_indirect, uleb(DW_FORM_data2).u16(0x4321), 0x4321});
  return values;
}

// The unit's entry with one attribute in each form, then an entry of another tag.
TestUnit unit_of(const std::vector<Value>& values, ByteOrder order, std::uint8_t offset_size) {
  TestUnit unit(order, offset_size);
  unit.abbrev.uleb128(1).uleb128(DW_TAG_compile_unit).u8(DW_CHILDREN_yes);
  unit.entries.uleb128(1);
  for (const Value& value : values) {
    unit.abbrev.uleb128(DW_AT_decl_line).uleb128(value.form);
    unit.entries.append(value.bytes);
  }
  unit.abbrev.uleb128(DW_AT_decl_file).uleb128(DW_FORM_implicit_const).u8(0x7b);
  unit.abbrev.u8(0).u8(0).uleb128(2).uleb128(DW_TAG_subprogram).u8(DW_CHILDREN_no).u8(0).u8(0);
  unit.abbrev.u8(0);
  unit.entries.uleb128(2).u8(0);
  return unit;
}

// Code 1: the unit; 2: a block with a sibling and children; 3: a leaf.
TestUnit unit_with_blocks() {
  TestUnit unit(ByteOrder::little);
  unit.abbrev.uleb128(1).uleb128(DW_TAG_compile_unit).u8(DW_CHILDREN_yes).u8(0).u8(0);
  unit.abbrev.uleb128(2).uleb128(DW_TAG_lexical_block).u8(DW_CHILDREN_yes);
  unit.abbrev.uleb128(DW_AT_sibling).uleb128(DW_FORM_ref4).u8(0).u8(0);
  unit.abbrev.uleb128(7).uleb128(DW_TAG_variable).u8(DW_CHILDREN_no).u8(0).u8(0).u8(0);
  return unit;
}

}  // namespace

TEST_CASE("attributes in every form are read, and passed over") {
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    for (const std::uint8_t offset_size : {std::uint8_t{4}, std::uint8_t{8}}) {
      const auto values = all_values(order, offset_size);
      TestUnit unit = unit_of(values, order, offset_size);
      DieReader reader = unit.reader();
      REQUIRE(reader.next());
      const auto attributes = reader.attributes();
      REQUIRE(attributes.size() == values.size() + 1);
      for (std::size_t i = 0; i < values.size(); ++i) {
        INFO("form " << values[i].form);
        CHECK(attributes[i].value == values[i].number);
        CHECK(attributes[i].text == (values[i].form == DW_FORM_string ? "text" : ""));
      }
      CHECK(attributes.back().value == ~std::uint64_t{4});
      REQUIRE(reader.next());
      CHECK(reader.tag() == DW_TAG_subprogram);
      CHECK_FALSE(reader.next());
      CHECK_FALSE(reader.damage());

      TestUnit again = unit_of(values, order, offset_size);
      DieReader passing = again.reader();
      REQUIRE(passing.next());
      REQUIRE(passing.next());
      CHECK(passing.tag() == DW_TAG_subprogram);
      CHECK(passing.depth() == 1);
    }
  }
}

TEST_CASE("entries cut off anywhere are damage, and never read behind their unit") {
  const auto values = all_values(ByteOrder::little, 4);
  const TestUnit whole = unit_of(values, ByteOrder::little, 4);
  for (std::size_t kept = 1; kept + 2 < whole.entries.size(); ++kept) {
    TestUnit unit = whole;
    unit.entries = SectionBuilder(ByteOrder::little);
    for (std::size_t i = 0; i < kept; ++i) {
      unit.entries.u8(std::to_integer<std::uint8_t>(whole.entries.bytes()[i]));
    }
    DieReader reader = unit.reader();
    REQUIRE(reader.next());
    CHECK(reader.attributes().empty());
    REQUIRE(reader.damage());
    CHECK_FALSE(reader.next());
  }
}

TEST_CASE("children are passed over by the sibling, or one by one where it is missing") {
  TestUnit unit = unit_with_blocks();
  unit.entries.u8(1);
  const std::size_t block_at = unit.header_size() + 1;
  // The first block's children are not what its sibling says: nothing reads them.
  unit.entries.u8(2).u32(block_at + 5 + 3).u8(0xff).u8(0xff).u8(0);
  unit.entries.u8(7);
  unit.entries.u8(0);
  DieReader reader = unit.reader();
  REQUIRE(reader.next());
  REQUIRE(reader.next());
  CHECK(reader.tag() == DW_TAG_lexical_block);
  CHECK(reader.offset() == block_at);
  reader.pass_over_children();
  REQUIRE(reader.next());
  CHECK(reader.tag() == DW_TAG_variable);
  CHECK(reader.depth() == 1);
  CHECK_FALSE(reader.next());
  CHECK_FALSE(reader.damage());
}

TEST_CASE("a sibling that lies behind is damage, and no endless way") {
  TestUnit unit = unit_with_blocks();
  unit.entries.u8(1).u8(2).u32(unit.header_size()).u8(7).u8(0).u8(0);
  DieReader reader = unit.reader();
  REQUIRE(reader.next());
  REQUIRE(reader.next());
  reader.pass_over_children();
  CHECK_FALSE(reader.next());
  REQUIRE(reader.damage());
  CHECK_THAT(reader.damage()->message, Catch::Contains("has a sibling before its own end"));
}

TEST_CASE("a code that .debug_abbrev does not hold is named") {
  TestUnit unit = unit_with_blocks();
  unit.entries.u8(1).u8(9).u8(0);
  DieReader reader = unit.reader();
  REQUIRE(reader.next());
  CHECK_FALSE(reader.next());
  REQUIRE(reader.damage());
  CHECK_THAT(reader.damage()->message, Catch::Contains("the abbreviation 9"));
}
