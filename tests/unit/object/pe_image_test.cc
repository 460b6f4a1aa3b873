// Windows programs: headers, sections, symbols and identity, from files made byte by byte.
#include <algorithm>
#include <cstring>

#include <catch2/catch.hpp>
#include <elf.h>

#include "engine/object/image.h"
#include "engine/object/raw_symbols.h"
#include "engine/object/symbol_table.h"
#include "tests/support/pe_builder.h"

using namespace gprof;
using namespace gprof::test;

namespace {

PeBuilder small_program(bool wide) {
  PeBuilder builder(wide);
  builder.sections = {
      {".text", 0x1000, std::string(0x60, '\x90'), 0x50, pe_code},
      {".data", 0x2000, "data", 0x400, pe_data},
      {".bss", 0x3000, "", 0x80, pe_data},
      {".debug_line_str", 0x4000, "strings", 0, 0x42000040},
  };
  const std::string prefix = wide ? "" : "_";
  builder.symbols = {
      {"main.c", 0, -2, 0, 103, 1},
      {prefix + "main", 0x00},
      {prefix + "a_function_of_a_long_name", 0x10},
      {prefix + "own", 0x20, 1, 0x20, 3},
      {".text", 0, 1, 0, 3, 1},
      {"local", 0x24, 1, 0, 6},
      {".weak." + prefix + "spare." + prefix + "main", 0x30},
      {prefix + "imported", 0, 0},
      {prefix + "datum", 0, 2, 0},
      {prefix + "other", 0x40},
  };
  return builder;
}

std::shared_ptr<const Image> image_of(std::vector<std::byte> bytes) {
  auto image = Image::from_bytes(std::move(bytes), "program.exe");
  if (!image) FAIL(describe(image.error()));
  return *image;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename Integer>
void change(std::vector<std::byte>& bytes, std::size_t offset, Integer value) {
  REQUIRE(offset + sizeof value <= bytes.size());
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

std::vector<std::string> names_of(const Image& image, SymbolPolicy policy) {
  const auto table = SymbolTable::build(std::shared_ptr<const Image>(&image, [](const Image*) {}),
                                        nullptr, policy);
  if (!table) return {describe(table.error())};
  std::vector<std::string> names;
  for (const Symbol& symbol : table->symbols()) names.emplace_back(symbol.name);
  return names;
}

// Everything that is asked of a file, whatever is in it.
void read_all(const std::vector<std::byte>& bytes) {
  const auto image = Image::from_bytes(bytes, "damaged.exe");
  if (!image) {
    CHECK_FALSE(image.error().message.empty());
    return;
  }
  for (const Section& section : (*image)->sections()) (void)(*image)->section_bytes(section);
  (void)(*image)->debug_link();
  (void)SymbolTable::build(*image, nullptr, SymbolPolicy::full);
  (void)SymbolTable::build(*image, nullptr, SymbolPolicy::gnu);
}

constexpr std::size_t coff_header = PeBuilder::header_offset + 4;

}  // namespace

TEST_CASE("PE files of 32 and 64 bits are read") {
  const bool wide = GENERATE(false, true);
  const PeBuilder builder = small_program(wide);
  const auto image = image_of(builder.build());
  CHECK(image->format() == ObjectFormat::pe);
  CHECK(image->pointer_width() == (wide ? PointerWidth::eight : PointerWidth::four));
  CHECK(image->byte_order() == ByteOrder::little);
  CHECK(image->machine() == (wide ? EM_X86_64 : EM_386));
  CHECK(image->is_program());
  CHECK(image->entry() == Address{builder.base() + 0x1000});
  // The file has bytes beyond the section's end, or fewer than it has in memory.
  CHECK(image->code_range() == AddressRange{{builder.base() + 0x1000}, {builder.base() + 0x1050}});
  const Section* data = image->find_section(".data");
  REQUIRE(data != nullptr);
  CHECK(data->size == 4);
  CHECK(text_of(*image->section_bytes(*data)) == "data");
  const Section* bss = image->find_section(".bss");
  REQUIRE(bss != nullptr);
  CHECK(bss->type == SHT_NOBITS);
  CHECK(bss->size == 0x80);
  const Section* strings = image->find_section(".debug_line_str");
  REQUIRE(strings != nullptr);
  CHECK_FALSE(strings->allocated());
  CHECK(text_of(*image->section_bytes(*strings)) == "strings");
}

TEST_CASE("PE symbols are chosen as GNU gprof chooses them, and for the editor") {
  const auto wide = image_of(small_program(true).build());
  CHECK(names_of(*wide, SymbolPolicy::gnu) ==
        std::vector<std::string>{"main", "a_function_of_a_long_name", "own", "local",
                                 ".weak.spare.main", "other"});
  CHECK(names_of(*wide, SymbolPolicy::full) ==
        std::vector<std::string>{"main", "a_function_of_a_long_name", "own", "spare", "other"});
  // The underscore that i386 puts before every name is only in reports' symbols.
  const auto narrow = image_of(small_program(false).build());
  CHECK(names_of(*narrow, SymbolPolicy::gnu) ==
        std::vector<std::string>{"_main", "_a_function_of_a_long_name", "_own", "local",
                                 ".weak._spare._main", "_other"});
  CHECK(names_of(*narrow, SymbolPolicy::full) ==
        std::vector<std::string>{"main", "a_function_of_a_long_name", "own", "spare", "other"});
}

TEST_CASE("PE symbols: local functions are none to GNU gprof") {
  const auto image = image_of(small_program(true).build());
  const auto table = SymbolTable::build(image, nullptr, SymbolPolicy::gnu);
  REQUIRE(table);
  for (const Symbol& symbol : table->symbols()) CHECK(symbol.is_function != symbol.is_local);
  const auto functions = SymbolTable::build(image, nullptr, SymbolPolicy::gnu, {false, true});
  REQUIRE(functions);
  for (const Symbol& symbol : functions->symbols()) CHECK_FALSE(symbol.is_local);
}

TEST_CASE("a DLL is a library, and a PE file of no kind is no program") {
  PeBuilder builder = small_program(true);
  builder.characteristics = 0x2002;
  const auto library = image_of(builder.build());
  CHECK_FALSE(library->is_program());
  CHECK(library->file_type() == ET_DYN);
  builder.characteristics = 0;
  CHECK_FALSE(image_of(builder.build())->is_program());
}

TEST_CASE("the build-id of a PE file is the GUID of its CodeView record, as it is written") {
  PeBuilder builder = small_program(true);
  CHECK(image_of(builder.build())->build_id().empty());
  builder.guid =
      std::string("\x33\x22\x11\x00\x55\x44\x77\x66\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16);
  const auto image = image_of(builder.build());
  REQUIRE(image->build_id().size() == 16);
  for (std::size_t i = 0; i < 16; ++i) {
    CHECK(image->build_id()[i] == static_cast<std::byte>(i * 0x11));
  }
}

TEST_CASE("PE headers that cannot be right are errors with an offset") {
  const std::vector<std::byte> good = small_program(true).build();
  const auto error_of = [](const std::vector<std::byte>& bytes) {
    const auto image = Image::from_bytes(bytes, "damaged.exe");
    REQUIRE_FALSE(image);
    return image.error();
  };
  auto bytes = good;
  change(bytes, coff_header, std::uint16_t{0xaa64});
  CHECK(error_of(bytes).code == ErrorCode::unsupported);
  CHECK(error_of(bytes).offset == coff_header);
  bytes = good;
  change(bytes, coff_header + 2, std::uint16_t{60000});  // sections
  CHECK(error_of(bytes).code == ErrorCode::truncated);
  CHECK(error_of(bytes).offset > coff_header);
  bytes = good;
  change(bytes, coff_header + 16, std::uint16_t{20});  // size of the optional header
  CHECK(error_of(bytes).code == ErrorCode::corrupt);
  bytes = good;
  change(bytes, 0x3c, std::uint32_t{0xfffffff0});
  CHECK(error_of(bytes).code == ErrorCode::wrong_format);
  CHECK_THAT(error_of(bytes).message, Catch::Contains("DOS"));
}

TEST_CASE("a PE symbol table that is not in the file leaves the rest readable") {
  const std::vector<std::byte> good = small_program(true).build();
  struct Lie {
    std::size_t offset;
    std::uint32_t value;
  };
  for (const Lie lie : {Lie{coff_header + 8, 0xfffff000},      // where the symbols are
                        Lie{coff_header + 12, 0xffffffff}}) {  // their number
    auto bytes = good;
    change(bytes, lie.offset, lie.value);
    const auto image = image_of(bytes);
    CHECK(image->code_range().size() == 0x50);
    const auto table = SymbolTable::build(image, nullptr, SymbolPolicy::gnu);
    REQUIRE_FALSE(table);
    CHECK(table.error().code == ErrorCode::truncated);
    CHECK(table.error().offset);
    CHECK_THAT(table.error().message, Catch::Contains(".symtab"));
  }
}

TEST_CASE("names and sections that PE symbols do not have make them nameless or undefined") {
  PeBuilder builder = small_program(true);
  builder.symbols = {{"main", 0}, {"nowhere", 0, 99}, {"behind", 0x20}};
  auto bytes = builder.build();
  const auto image = image_of(bytes);
  CHECK(names_of(*image, SymbolPolicy::gnu) == std::vector<std::string>{"main", "behind"});
  // A name beyond the string table.
  std::uint32_t symbols = 0;
  std::memcpy(&symbols, bytes.data() + coff_header + 8, sizeof symbols);
  change(bytes, symbols, std::uint32_t{0});
  change(bytes, symbols + 4, std::uint32_t{0x7fffffff});
  CHECK(names_of(*image_of(bytes), SymbolPolicy::full) == std::vector<std::string>{"behind"});
  // Auxiliary entries beyond the table.
  bytes = builder.build();
  change(bytes, symbols + 17, std::uint8_t{255});
  CHECK(names_of(*image_of(bytes), SymbolPolicy::full) == std::vector<std::string>{"main"});
}

TEST_CASE("PE files that end anywhere are read or refused") {
  PeBuilder builder = small_program(true);
  builder.guid = std::string(16, 'g');
  const std::vector<std::byte> good = builder.build();
  for (std::size_t size = 0; size < good.size(); ++size) {
    read_all({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)});
  }
}

TEST_CASE("PE files with any byte changed are read or refused") {
  PeBuilder builder = small_program(GENERATE(false, true));
  builder.guid = std::string(16, 'g');
  const std::vector<std::byte> good = builder.build();
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const auto value : {std::byte{0x00}, std::byte{0x7f}, std::byte{0x80}, std::byte{0xff}}) {
      auto bytes = good;
      bytes[i] = value;
      read_all(bytes);
    }
  }
}
