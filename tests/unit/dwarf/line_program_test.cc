#include "engine/dwarf/line_program.h"

#include <catch2/catch.hpp>

#include "tests/support/elf_builder.h"
#include "tests/unit/dwarf/section_builder.h"

using namespace gprof;
using namespace gprof::dwarf;
using gprof::test::SectionBuilder;

namespace {

// An image whose code is at [0x1000, 0x2000).
std::shared_ptr<const Image> image_with_code(ByteOrder order) {
  test::ElfBuilder builder(PointerWidth::eight, order, EM_X86_64);
  builder.add_text(0x1000, std::vector<std::byte>(0x1000));
  auto image = Image::from_bytes(builder.build(), "program");
  REQUIRE(image);
  return *image;
}

struct LineTable {
  unsigned version = 5;
  unsigned line_range = 14;
  unsigned opcode_base = 13;

  // A table with the files /src/zero.c (DWARF 5 only) and /src/one.c.
  [[nodiscard]] SectionBuilder with(const SectionBuilder& program, ByteOrder order) const {
    SectionBuilder parameters(order);
    parameters.u8(1);                    // minimum instruction length
    if (version >= 4) parameters.u8(1);  // operations per instruction
    parameters.u8(1).u8(0x100 - 5).u8(line_range).u8(opcode_base);
    for (const unsigned operands : {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}) parameters.u8(operands);
    if (version >= 5) {
      parameters.u8(1).uleb128(1).uleb128(8).uleb128(1).string("/src");
      parameters.u8(2).uleb128(1).uleb128(8).uleb128(2).uleb128(11).uleb128(2);
      parameters.string("zero.c").u8(0).string("one.c").u8(0);
    } else {
      parameters.string("sub").u8(0);
      parameters.string("one.c").u8(0).u8(0).u8(0).string("two.c").u8(1).u8(0).u8(0).u8(0);
    }
    SectionBuilder content(order);
    content.u16(version);
    if (version >= 5) content.u8(8).u8(0);
    content.u32(parameters.size()).append(parameters).append(program);
    SectionBuilder table(order);
    table.u32(content.size()).append(content);
    return table;
  }
};

SectionBuilder& set_address(SectionBuilder& program, std::uint64_t address) {
  return program.u8(0).uleb128(9).u8(2).u64(address);
}

SectionBuilder& end_sequence(SectionBuilder& program) { return program.u8(0).uleb128(1).u8(1); }

Expected<std::vector<LineRow>> rows_of(const SectionBuilder& table, ByteOrder order) {
  DwarfSections sections;
  sections.line = table.bytes();
  sections.order = order;
  sections.path = "program";
  const auto image = image_with_code(order);
  auto header = read_line_header(sections, 0, UnitHeader{}, {});
  if (!header) return header.error();
  // Files are numbered here by their number in the table plus 100.
  std::vector<FileId> files;
  for (FileId i = 0; i < header->files.size(); ++i) files.push_back(100 + i);
  return run_line_program(*header, files, sections, CodeFilter(*image));
}

std::string text_of(const Expected<std::vector<LineRow>>& rows) {
  if (!rows) return rows.error().message;
  std::string text;
  for (const LineRow& row : *rows) {
    char address[32];
    std::snprintf(address, sizeof(address), "%llx",
                  static_cast<unsigned long long>(row.address.value));
    text += address;
    text += row.end_of_sequence
                ? std::string(" end")
                : ":" + std::to_string(row.file) + ":" + std::to_string(row.line) + ":" +
                      std::to_string(row.column) + (row.is_statement ? "" : " inner");
    text += '\n';
  }
  return text;
}

}  // namespace

TEST_CASE("the instructions of a line number program make rows") {
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    for (const unsigned version : {2u, 3u, 4u, 5u}) {
      SectionBuilder program(order);
      set_address(program, 0x1000);
      program.u8(5).uleb128(7).u8(1);       // column 7, copy
      program.u8(13 + 5 + 2 + 14 * 3);      // special: 3 bytes on, 2 lines on
      program.u8(6).u8(3).u8(0x7F);         // not a statement, line - 1
      program.u8(2).uleb128(0x100).u8(1);   // 256 bytes on, copy
      program.u8(9).u16(0x20).u8(8).u8(1);  // fixed 32 bytes, const_add_pc (17), copy
      program.u8(12).uleb128(3).u8(0).uleb128(2).u8(4).uleb128(9);  // isa, discriminator: ignored
      program.u8(2).uleb128(1);
      end_sequence(program);
      CHECK(text_of(rows_of(LineTable{version}.with(program, order), order)) ==
            "1000:101:1:7\n"
            "1003:101:3:7\n"
            "1103:101:2:7 inner\n"
            "1134:101:2:7 inner\n"
            "1135 end\n");
    }
  }
}

TEST_CASE("every program starts with file 1, also in DWARF 5 where file 0 exists") {
  SectionBuilder program(ByteOrder::little);
  set_address(program, 0x1000).u8(1).u8(4).uleb128(0).u8(1).u8(4).uleb128(9).u8(1);
  end_sequence(program);
  CHECK(text_of(rows_of(LineTable{}.with(program, ByteOrder::little), ByteOrder::little)) ==
        "1000:101:1:0\n1000:100:1:0\n1000:0:1:0\n1000 end\n");
}

TEST_CASE("the begin of an epilogue does not end a sequence") {
  SectionBuilder program(ByteOrder::little);
  set_address(program, 0x1000).u8(11).u8(1).u8(10).u8(13 + 5 + 14);
  end_sequence(program);
  CHECK(text_of(rows_of(LineTable{}.with(program, ByteOrder::little), ByteOrder::little)) ==
        "1000:101:1:0\n1001:101:1:0\n1001 end\n");
}

TEST_CASE("sequences of code that the linker threw away are left out") {
  SectionBuilder program(ByteOrder::little);
  for (const std::uint64_t address :
       {std::uint64_t{0}, std::uint64_t{0x40}, ~std::uint64_t{0}, ~std::uint64_t{1}}) {
    set_address(program, address).u8(1).u8(2).uleb128(4);
    end_sequence(program);
  }
  set_address(program, 0x1800).u8(1).u8(2).uleb128(4);
  end_sequence(program);
  set_address(program, 0x1900).u8(1);  // never ends
  CHECK(text_of(rows_of(LineTable{}.with(program, ByteOrder::little), ByteOrder::little)) ==
        "1800:101:1:0\n1804 end\n");
}

TEST_CASE("a program that ends inside an instruction is an error") {
  SectionBuilder program(ByteOrder::little);
  set_address(program, 0x1000).u8(1).u8(0).uleb128(200).u8(4);
  const auto rows = rows_of(LineTable{}.with(program, ByteOrder::little), ByteOrder::little);
  REQUIRE_FALSE(rows);
  CHECK(rows.error().code == ErrorCode::corrupt);
  CHECK_THAT(rows.error().message, Catch::Contains("ends inside its instruction"));
}

TEST_CASE("a line table header that cannot be decoded with is refused") {
  const SectionBuilder empty(ByteOrder::little);
  const auto refused = [&](const SectionBuilder& table, const char* message) {
    const auto rows = rows_of(table, ByteOrder::little);
    REQUIRE_FALSE(rows);
    CHECK_THAT(rows.error().message, Catch::Contains(message));
  };
  refused(LineTable{5, 0}.with(empty, ByteOrder::little), "line range 0");
  refused(LineTable{5, 14, 0}.with(empty, ByteOrder::little), "opcode base 0");
  refused(LineTable{6}.with(empty, ByteOrder::little), "line table version 6, expected 2 to 5");
  SectionBuilder endless(ByteOrder::little);
  endless.u32(1000).u16(5);
  refused(endless, "1000 bytes expected");
}

TEST_CASE("files are resolved against their directories, which DWARF 5 counts from 0") {
  const SectionBuilder empty(ByteOrder::little);
  const auto paths = [&](unsigned version) {
    const SectionBuilder table = LineTable{version}.with(empty, ByteOrder::little);
    DwarfSections sections;
    sections.line = table.bytes();
    const auto header = read_line_header(sections, 0, UnitHeader{}, {});
    REQUIRE(header);
    return file_paths(*header, "/build");
  };
  CHECK(paths(5) == std::vector<std::string>{"/src/zero.c", "/src/one.c"});
  CHECK(paths(4) == std::vector<std::string>{"", "/build/one.c", "/build/sub/two.c"});
}
