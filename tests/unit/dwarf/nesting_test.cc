// Entries nested in ways that no installed compiler writes.
#include <catch2/catch.hpp>

#include "engine/dwarf/debug_information.h"
#include "tests/support/elf_builder.h"
#include "tests/unit/dwarf/section_builder.h"

using namespace gprof;
using gprof::test::SectionBuilder;

namespace {

// The codes of the abbreviations below.
constexpr unsigned unit_entry = 1;
constexpr unsigned block = 2;       // lexical block with children
constexpr unsigned base_type = 3;   // without attributes or children
constexpr unsigned name_space = 4;  // name; with children
constexpr unsigned function = 5;    // name, low_pc, high_pc as a length

SectionBuilder abbreviations() {
  constexpr unsigned name = 0x03, string = 0x08, low_pc = 0x11, address = 0x01, high_pc = 0x12,
                     data1 = 0x0B;
  SectionBuilder abbrev(ByteOrder::little);
  abbrev.uleb128(unit_entry).uleb128(0x11).u8(1).u8(0).u8(0);
  abbrev.uleb128(block).uleb128(0x0B).u8(1).u8(0).u8(0);
  abbrev.uleb128(base_type).uleb128(0x24).u8(0).u8(0).u8(0);
  abbrev.uleb128(name_space).uleb128(0x39).u8(1).uleb128(name).uleb128(string).u8(0).u8(0);
  abbrev.uleb128(function).uleb128(0x2E).u8(0).uleb128(name).uleb128(string);
  abbrev.uleb128(low_pc).uleb128(address).uleb128(high_pc).uleb128(data1).u8(0).u8(0);
  return abbrev.u8(0);
}

SectionBuilder& add_function(SectionBuilder& entries, const char* name, std::uint64_t address) {
  return entries.u8(function).string(name).u64(address).u8(4);
}

// The functions of a program with one unit around the entries.
Expected<UnitFunctions> functions_of(const SectionBuilder& entries) {
  SectionBuilder info(ByteOrder::little);
  info.u32(7 + entries.size() + 2).u16(4).u32(0).u8(8).u8(unit_entry).append(entries).u8(0);
  test::ElfBuilder elf(PointerWidth::eight, ByteOrder::little, EM_X86_64);
  elf.add_text(0x1000, std::vector<std::byte>(0x100));
  elf.add_section({".debug_info", SHT_PROGBITS, 0, 0, info.bytes(), 0, 0});
  elf.add_section({".debug_abbrev", SHT_PROGBITS, 0, 0, abbreviations().bytes(), 0, 0});
  const auto image = Image::from_bytes(elf.build(), "program");
  REQUIRE(image);
  const auto debug = DebugInformation::open(*image, "program");
  INFO((debug ? "" : describe(debug.error())));
  REQUIRE(debug);
  REQUIRE((*debug)->units().size() == 1);
  auto functions = (*debug)->functions(0);
  // The warnings also name the failed unit.
  CHECK((*debug)->warnings().size() == (functions ? 0 : 1));
  return functions;
}

}  // namespace

TEST_CASE("functions are named by the scopes around them, which blocks are not") {
  SectionBuilder entries(ByteOrder::little);
  entries.u8(name_space).string("a");
  entries.u8(block).u8(base_type).u8(name_space).string("b");
  add_function(entries, "f", 0x1000).u8(0);
  add_function(entries, "g", 0x1010).u8(0).u8(0);
  add_function(entries, "h", 0x1020);
  add_function(entries, "discarded", 0);
  const auto functions = functions_of(entries);
  REQUIRE(functions);
  std::vector<std::string> names;
  for (const Subprogram& subprogram : functions->subprograms) names.push_back(subprogram.name);
  CHECK(names == std::vector<std::string>{"a::b::f", "a::g", "h"});
  CHECK(functions->subprograms[1].ranges ==
        std::vector<AddressRange>{{Address{0x1010}, Address{0x1014}}});
}

TEST_CASE("entries nested beyond reason are an error, not a crash") {
  SectionBuilder entries(ByteOrder::little);
  for (int i = 0; i < 100'000; ++i) entries.u8(block);
  const auto functions = functions_of(entries);
  REQUIRE_FALSE(functions);
  CHECK_THAT(functions.error().message, Catch::Contains("nested deeper"));
}

TEST_CASE("functions behind deep nesting are found") {
  SectionBuilder entries(ByteOrder::little);
  for (int i = 0; i < 400; ++i) entries.u8(block);
  for (int i = 0; i < 50'000; ++i) entries.u8(base_type);
  for (int i = 0; i < 400; ++i) entries.u8(0);
  add_function(entries, "behind", 0x1000);
  const auto functions = functions_of(entries);
  REQUIRE(functions);
  REQUIRE(functions->subprograms.size() == 1);
  CHECK(functions->subprograms.front().name == "behind");
}
