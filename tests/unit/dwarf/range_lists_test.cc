#include "engine/dwarf/range_lists.h"

#include <catch2/catch.hpp>

#include "tests/unit/dwarf/section_builder.h"

using namespace gprof;
using namespace gprof::dwarf;
using gprof::test::SectionBuilder;

namespace {

UnitHeader unit_of_version(std::uint16_t version, std::uint8_t address_size = 8) {
  UnitHeader header;
  header.version = version;
  header.address_size = address_size;
  return header;
}

}  // namespace

TEST_CASE("ranges of DWARF 4 count from the unit or from the base that the list selects") {
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    SectionBuilder ranges(order);
    ranges.u32(0xDEAD);  // another unit's
    ranges.u32(0x10).u32(0x20).u32(0x30).u32(0x30).u32(0xFFFFFFFF).u32(0x5000).u32(1).u32(3);
    ranges.u32(0).u32(0);
    DwarfSections sections;
    sections.ranges = ranges.bytes();
    sections.order = order;
    UnitBases bases;
    bases.low_pc = {0x1000};
    RangeLists lists(sections, unit_of_version(4, 4));
    const auto found = lists.at_offset(4, bases);
    REQUIRE(found);
    CHECK(*found == std::vector<AddressRange>{{{0x1010}, {0x1020}}, {{0x5001}, {0x5003}}});
  }
}

TEST_CASE("ranges of DWARF 5 in all of their forms") {
  SectionBuilder addresses(ByteOrder::little);
  addresses.u32(0).u32(0).u64(0x1000).u64(0x2000).u64(0x3000);
  SectionBuilder lists(ByteOrder::little);
  lists.u32(0).u16(5).u8(8).u8(0).u32(1).u32(4);        // header; one offset: after the table
  lists.u8(1).uleb128(1);                               // base_addressx 0x2000
  lists.u8(4).uleb128(0x10).uleb128(0x20);              // offset_pair
  lists.u8(2).uleb128(0).uleb128(1);                    // startx_endx
  lists.u8(3).uleb128(2).uleb128(0x300);                // startx_length
  lists.u8(5).u64(0x7000).u8(4).uleb128(1).uleb128(2);  // base_address, offset_pair
  lists.u8(6).u64(0x8000).u64(0x8004);                  // start_end
  lists.u8(7).u64(0x9000).uleb128(0x80);                // start_length
  lists.u8(7).u64(0x9000).uleb128(0);                   // empty
  lists.u8(0);
  DwarfSections sections;
  sections.rnglists = lists.bytes();
  sections.addr = addresses.bytes();
  UnitBases bases;
  bases.addresses = 8;
  RangeLists reader(sections, unit_of_version(5));
  const auto found = reader.at_index(0, bases);
  REQUIRE(found);
  CHECK(*found == std::vector<AddressRange>{{{0x2010}, {0x2020}},
                                            {{0x1000}, {0x2000}},
                                            {{0x3000}, {0x3300}},
                                            {{0x7001}, {0x7002}},
                                            {{0x8000}, {0x8004}},
                                            {{0x9000}, {0x9080}}});
  CHECK(*reader.at_offset(16, bases) == *found);
}

TEST_CASE("range lists that lead outside of the section, or never end, are errors") {
  SectionBuilder lists(ByteOrder::little);
  lists.u8(7).u64(0x9000).uleb128(0x80);
  DwarfSections sections;
  sections.path = "program";
  sections.rnglists = lists.bytes();
  sections.ranges = lists.bytes();
  RangeLists reader(sections, unit_of_version(5));
  CHECK_FALSE(reader.at_offset(0, {}));
  CHECK_FALSE(reader.at_offset(99, {}));
  CHECK_FALSE(reader.at_index(~std::uint64_t{0}, {}));
  CHECK_FALSE(RangeLists(sections, unit_of_version(4)).at_offset(0, {}));
  SectionBuilder unknown(ByteOrder::little);
  unknown.u8(8).u64(0);
  sections.rnglists = unknown.bytes();
  const auto refused = reader.at_offset(0, {});
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message, Catch::Contains("unknown kind 0x8"));
}

TEST_CASE("a list that is named over and over cannot exhaust memory") {
  SectionBuilder lists(ByteOrder::little);
  for (int i = 0; i < 10; ++i) lists.u8(7).u64(0x9000).uleb128(0x80);
  lists.u8(0);
  DwarfSections sections;
  sections.rnglists = lists.bytes();
  RangeLists reader(sections, unit_of_version(5));
  bool refused = false;
  for (int i = 0; i < 20 && !refused; ++i) refused = !reader.at_offset(0, {});
  CHECK(refused);
}
