#include "engine/dwarf/unit_headers.h"

#include <catch2/catch.hpp>

#include "tests/unit/dwarf/section_builder.h"

using namespace gprof;
using namespace gprof::dwarf;
using gprof::test::SectionBuilder;

namespace {

struct Headers {
  std::vector<UnitHeader> units;
  Warnings warnings;
};

Headers headers_of(const SectionBuilder& info, ByteOrder order) {
  const std::vector<std::byte> abbrev(16);
  DwarfSections sections;
  sections.info = info.bytes();
  sections.abbrev = abbrev;
  sections.order = order;
  sections.path = "program";
  Headers headers;
  headers.units = read_unit_headers(sections, headers.warnings);
  return headers;
}

// A unit of DWARF 4 with one byte of entries.
SectionBuilder& add_version4(SectionBuilder& info, std::uint64_t version = 4,
                             std::uint64_t abbrev_offset = 0, std::uint64_t address_size = 8) {
  return info.u32(8).u16(version).u32(abbrev_offset).u8(address_size).u8(0);
}

}  // namespace

TEST_CASE("unit headers of DWARF 2 to 5, of 32 and 64 bits, in either byte order") {
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    SectionBuilder info(order);
    add_version4(info, 2, 3, 4);
    info.u32(0xFFFFFFFF).u64(12).u16(4).u64(5).u8(8).u8(0);
    info.u32(9).u16(5).u8(1).u8(8).u32(7).u8(0);                           // DW_UT_compile
    info.u32(17).u16(5).u8(4).u8(8).u32(0).u64(0x1122334455667788).u8(0);  // DW_UT_skeleton
    const auto [units, warnings] = headers_of(info, order);
    CHECK(warnings.empty());
    REQUIRE(units.size() == 4);
    CHECK(units[0].version == 2);
    CHECK(units[0].address_size == 4);
    CHECK(units[0].abbrev_offset == 3);
    CHECK(units[1].offset == units[0].end);
    CHECK(units[1].offset_size == 8);
    CHECK(units[1].abbrev_offset == 5);
    CHECK(units[2].kind == UnitKind::compile);
    CHECK(units[2].abbrev_offset == 7);
    CHECK(units[3].kind == UnitKind::skeleton);
    CHECK(units[3].split_id == 0x1122334455667788);
    CHECK(units[3].end == info.size());
  }
}

TEST_CASE("a damaged unit header costs that unit alone") {
  struct Case {
    const char* what;
    std::uint64_t version;
    std::uint64_t abbrev_offset;
    std::uint64_t address_size;
    const char* message;
  };
  const Case cases[] = {
      {"a future version", 6, 0, 8, "DWARF version 6, expected 2 to 5"},
      {"abbreviations outside of their section", 4, 99, 8, "at 0x63 of .debug_abbrev"},
      {"addresses of a strange size", 4, 0, 3, "addresses of 3 bytes, expected 4 or 8"},
  };
  for (const Case& one : cases) {
    INFO(one.what);
    SectionBuilder info(ByteOrder::little);
    add_version4(info);
    add_version4(info, one.version, one.abbrev_offset, one.address_size);
    add_version4(info);
    const auto [units, warnings] = headers_of(info, ByteOrder::little);
    CHECK(units.size() == 2);
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(describe(warnings[0]), Catch::StartsWith("program: the unit at 0xc of .debug_info"));
    CHECK_THAT(warnings[0].message, Catch::Contains(one.message));
  }
}

TEST_CASE("a unit length that cannot be believed ends the list of units") {
  struct Case {
    std::uint32_t length;
    const char* message;
  };
  const Case cases[] = {{0xFFFFFFF0, "reserved value"},
                        {0x7FFFFFFF, "the units after it cannot be found"},
                        {0xFFFFFFFF, "64-bit unit length"}};
  for (const Case& one : cases) {
    SectionBuilder info(ByteOrder::little);
    add_version4(info).u32(one.length).u16(4);
    const auto [units, warnings] = headers_of(info, ByteOrder::little);
    CHECK(units.size() == 1);
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings[0].message, Catch::Contains(one.message));
  }
}

TEST_CASE("a unit that ends inside its own header does not borrow from the next") {
  SectionBuilder info(ByteOrder::little);
  info.u32(3).u16(4).u8(0);
  add_version4(info);
  const auto [units, warnings] = headers_of(info, ByteOrder::little);
  CHECK(units.size() == 1);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0].message, Catch::Contains("abbreviation offset"));
}
