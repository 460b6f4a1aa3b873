// Debug information made to be expensive: what is made of a file grows only as fast as the file.
// Work is counted in rows, files, entries and bytes of names, never in seconds.
#include <catch2/catch.hpp>

#include "engine/dwarf/debug_information.h"
#include "engine/dwarf/die_reader.h"
#include "engine/support/limits.h"
#include "tests/support/elf_builder.h"
#include "tests/support/packed_section.h"
#include "tests/unit/dwarf/section_builder.h"

using namespace gprof;
using gprof::test::packed_section;
using gprof::test::SectionBuilder;

namespace {

constexpr std::uint64_t code = 0x1000;
constexpr unsigned unit_code = 1;
constexpr unsigned empty_code = 2;
constexpr unsigned function_code = 3;

// The parts of a program with any number of units; each section may be compressed.
struct HarmfulProgram {
  SectionBuilder info{ByteOrder::little};
  SectionBuilder abbrev{ByteOrder::little};
  SectionBuilder line{ByteOrder::little};
  SectionBuilder str{ByteOrder::little};
  SectionBuilder ranges{ByteOrder::little};
  bool packed = false;

  // unit: stmt_list, with children; empty: neither attributes nor children; function: name (strp),
  // low_pc, high_pc as a length.
  void add_abbreviations() {
    abbrev.uleb128(unit_code).uleb128(0x11).u8(1).uleb128(0x10).uleb128(0x17).u8(0).u8(0);
    abbrev.uleb128(empty_code).uleb128(0x24).u8(0).u8(0).u8(0);
    abbrev.uleb128(function_code).uleb128(0x2E).u8(0).uleb128(0x03).uleb128(0x0E);
    abbrev.uleb128(0x11).uleb128(0x01).uleb128(0x12).uleb128(0x0B).u8(0).u8(0).u8(0);
  }
  void add_unit(const SectionBuilder& entries, std::uint32_t line_offset = 0) {
    info.u32(7 + 1 + 4 + entries.size() + 1).u16(4).u32(0).u8(8);
    info.u8(unit_code).u32(line_offset).append(entries).u8(0);
  }

  [[nodiscard]] std::vector<std::byte> file() const {
    test::ElfBuilder elf(PointerWidth::eight, ByteOrder::little, EM_X86_64);
    elf.add_text(code, std::vector<std::byte>(0x1000));
    const auto add = [&](const char* name, const SectionBuilder& section) {
      if (section.size() == 0) return;
      elf.add_section({name, SHT_PROGBITS, packed ? std::uint64_t{SHF_COMPRESSED} : 0, 0,
                       packed ? packed_section(section.bytes()) : section.bytes(), 0, 0});
    };
    add(".debug_info", info);
    add(".debug_abbrev", abbrev);
    add(".debug_line", line);
    add(".debug_str", str);
    add(".debug_ranges", ranges);
    return elf.build();
  }
};

std::unique_ptr<DebugInformation> open(const HarmfulProgram& program) {
  const auto image = Image::from_bytes(program.file(), "program");
  REQUIRE(image);
  auto debug = DebugInformation::open(*image, "program");
  INFO((debug ? "" : describe(debug.error())));
  REQUIRE(debug);
  return std::move(*debug);
}

std::string messages_of(const DebugInformation& debug) {
  std::string text;
  for (const Error& warning : debug.warnings()) text += describe(warning) + "\n";
  return text;
}

// A version 4 line table with that many files, and the program.
SectionBuilder line_table(std::size_t files, const SectionBuilder& program) {
  SectionBuilder parameters(ByteOrder::little);
  parameters.u8(1).u8(1).u8(1).u8(0xFB).u8(14).u8(13);
  for (const unsigned operands : {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}) parameters.u8(operands);
  parameters.u8(0);
  for (std::size_t i = 0; i < files; ++i) {
    parameters.string("f" + std::to_string(i) + ".c").u8(0).u8(0).u8(0);
  }
  parameters.u8(0);
  SectionBuilder table(ByteOrder::little);
  table.u32(6 + parameters.size() + program.size()).u16(4).u32(parameters.size());
  return table.append(parameters).append(program);
}

SectionBuilder rows_at_one_address(std::size_t count) {
  SectionBuilder program(ByteOrder::little);
  program.u8(0).uleb128(9).u8(2).u64(code);
  for (std::size_t i = 0; i < count; ++i) program.u8(1);
  return program.u8(0).uleb128(1).u8(1);
}

}  // namespace

TEST_CASE("amplification: a line number program makes no more rows than its code can have") {
  const auto rows_of = [](std::size_t count) {
    HarmfulProgram program;
    program.add_abbreviations();
    program.line = line_table(1, rows_at_one_address(count));
    program.add_unit(SectionBuilder(ByteOrder::little));
    program.packed = true;
    const auto debug = open(program);
    const auto rows = debug->rows(0);
    if (rows) return rows->size();
    CHECK_THAT(messages_of(*debug), Catch::Contains("rows, which is more than"));
    return std::size_t{0};
  };
  CHECK(rows_of(50'000) == 50'001);
  CHECK(rows_of(1'000'000) == 0);
}

TEST_CASE("amplification: units that share a line table do not each read it") {
  const auto files_of_all = [](std::size_t count) {
    HarmfulProgram program;
    program.add_abbreviations();
    program.line = line_table(count, rows_at_one_address(1));
    for (std::size_t i = 0; i < count; ++i) program.add_unit(SectionBuilder(ByteOrder::little));
    const auto debug = open(program);
    std::size_t files = 0;
    for (UnitIndex unit = 0; unit < debug->units().size(); ++unit) {
      files += debug->files(unit).size();
    }
    CHECK_THAT(messages_of(*debug), Catch::Contains("their lines are left out"));
    return files;
  };
  const std::size_t once = files_of_all(1000);
  CHECK(once > 0);
  CHECK(files_of_all(2000) <= 2 * once + 2000);
}

TEST_CASE("amplification: a few units may share a line table") {
  HarmfulProgram program;
  program.add_abbreviations();
  program.line = line_table(100, rows_at_one_address(1));
  for (std::size_t i = 0; i < 5; ++i) program.add_unit(SectionBuilder(ByteOrder::little));
  const auto debug = open(program);
  for (UnitIndex unit = 0; unit < 5; ++unit) {
    CHECK(debug->files(unit).size() == 100);
    CHECK(debug->rows(unit)->size() == 2);
  }
  CHECK(messages_of(*debug).empty());
}

TEST_CASE("amplification: entries that were compressed to nothing are not all looked at") {
  const auto program_of = [](std::size_t count) {
    HarmfulProgram program;
    program.add_abbreviations();
    SectionBuilder entries(ByteOrder::little);
    for (std::size_t i = 0; i < count; ++i) entries.u8(empty_code);
    program.add_unit(entries);
    program.line.u8(0);
    program.packed = true;
    return program;
  };
  {
    const auto debug = open(program_of(500'000));
    CHECK(debug->functions(0));
    CHECK(debug->named_code(0));
  }
  const auto looked_at = [&](std::size_t count) {
    const HarmfulProgram program = program_of(count);
    const auto debug = open(program);
    CHECK_FALSE(debug->functions(0));
    CHECK_FALSE(debug->named_code(0));
    CHECK_THAT(messages_of(*debug), Catch::Contains("entries, which no file of"));
    dwarf::DwarfSections sections;
    sections.info = program.info.bytes();
    sections.abbrev = program.abbrev.bytes();
    sections.file_size = program.file().size();
    dwarf::UnitHeader header;
    header.end = sections.info.size();
    header.version = 4;
    dwarf::DieReader entries(sections, header);
    while (entries.next()) continue;
    return entries.count();
  };
  const std::uint64_t once = looked_at(3'000'000);
  CHECK(once > 1'000'000);
  CHECK(looked_at(6'000'000) <= 2 * once);
}

TEST_CASE("amplification: a name that entries share is read as far as names go") {
  const auto bytes_read = [](std::size_t length) {
    SectionBuilder str(ByteOrder::little);
    str.string(std::string(length, 'n'));
    dwarf::DwarfSections sections;
    sections.str = str.bytes();
    const auto name = sections.text_at(0);
    REQUIRE(name);
    return name->size();
  };
  CHECK(bytes_read(longest_shared_name - 1) == longest_shared_name - 1);
  CHECK(bytes_read(longest_shared_name + 1) == longest_shared_name);
  CHECK(bytes_read(100 * longest_shared_name) == longest_shared_name);
}

TEST_CASE("amplification: units that share abbreviations do not each go through all of them") {
  const auto units_of = [](std::size_t count) {
    HarmfulProgram program;
    // The unit's own one is the last.
    for (std::size_t i = 0; i < count; ++i) {
      program.abbrev.uleb128(1000 + i).uleb128(0x24).u8(0).u8(0).u8(0);
    }
    program.add_abbreviations();
    for (std::size_t i = 0; i < count; ++i) program.add_unit(SectionBuilder(ByteOrder::little));
    program.line.u8(0);
    const auto debug = open(program);
    return std::pair(debug->units().size() * program.abbrev.size(), messages_of(*debug));
  };
  const auto [once, first_message] = units_of(4000);
  const auto [twice, second_message] = units_of(8000);
  CHECK(once > 0);
  CHECK(twice <= 2 * once + 100'000);
  CHECK_THAT(second_message, Catch::Contains("share their abbreviations"));
}

TEST_CASE("amplification: units that share address ranges or names do not each have all of them") {
  const auto amounts_of = [](std::size_t count, std::size_t listed, std::size_t name_size,
                             const char* message) {
    HarmfulProgram program;
    // A unit's entry: its name, and the list of its code ranges.
    program.abbrev.uleb128(unit_code).uleb128(0x11).u8(0).uleb128(0x03).uleb128(0x0E);
    program.abbrev.uleb128(0x55).uleb128(0x17).u8(0).u8(0).u8(0);
    program.str.string(std::string(name_size, 'n'));
    for (std::size_t i = 0; i < listed; ++i) program.ranges.u64(code).u64(code + 1);
    program.ranges.u64(0).u64(0);
    for (std::size_t i = 0; i < count; ++i) {
      program.info.u32(7 + 9).u16(4).u32(0).u8(8).u8(unit_code).u32(0).u32(0);
    }
    const auto debug = open(program);
    std::size_t bytes = 0;
    for (const Unit& unit : debug->units()) bytes += unit.name.size() + 16 * unit.ranges.size();
    CHECK_THAT(messages_of(*debug), Catch::Contains(message));
    return bytes;
  };
  const std::size_t ranges = amounts_of(1500, 1500, 1, "share their address ranges");
  CHECK(ranges > 0);
  CHECK(amounts_of(3000, 3000, 1, "share their address ranges") <= 2 * ranges);
  const std::size_t names = amounts_of(1500, 1, 15'000, "share long names");
  CHECK(names > 0);
  CHECK(amounts_of(3000, 1, 30'000, "share long names") <= 2 * names);
}

TEST_CASE("amplification: units that were compressed to nothing are not all opened") {
  const auto units_of = [](std::size_t count) {
    HarmfulProgram program;
    program.add_abbreviations();
    for (std::size_t i = 0; i < count; ++i) program.add_unit(SectionBuilder(ByteOrder::little));
    program.packed = true;
    program.line.u8(0);
    const auto debug = open(program);
    CHECK_THAT(messages_of(*debug), Catch::Contains("are too many"));
    return debug->units().size();
  };
  const std::size_t once = units_of(20'000);
  CHECK(once > 0);
  CHECK(units_of(40'000) <= 2 * once);
}
