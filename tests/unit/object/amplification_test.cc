// Executables made to be expensive: what is made of a file grows only as fast as the file.
#include <optional>
#include <span>

#include <catch2/catch.hpp>
#include <elf.h>

#include "engine/object/debug_file.h"
#include "engine/object/raw_symbols.h"
#include "engine/object/symbol_table.h"
#include "engine/support/decompress.h"
#include "engine/support/limits.h"
#include "tests/support/elf_builder.h"
#include "tests/support/files.h"
#include "tests/support/packed_section.h"
#include "tests/support/pe_builder.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;

namespace {

// Symbols with one name, stored in the file once.
std::vector<std::byte> program_with_shared_name(std::size_t symbols, std::size_t name_size) {
  ElfBuilder elf(PointerWidth::eight, ByteOrder::little, EM_X86_64);
  const std::uint32_t text = elf.add_text(0x1000, std::vector<std::byte>(16 * symbols));
  std::vector<std::byte> table(sizeof(Elf64_Sym));
  const auto put = [&](std::uint64_t value, std::size_t size) {
    const auto bytes = elf.integer(value, size);
    table.insert(table.end(), bytes.begin(), bytes.end());
  };
  for (std::size_t i = 0; i < symbols; ++i) {
    put(1, 4);
    put(STB_GLOBAL << 4 | STT_FUNC, 1);
    put(0, 1);
    put(text, 2);
    put(0x1000 + 16 * i, 8);
    put(16, 8);
  }
  std::vector<std::byte> strings(name_size + 2, std::byte{'n'});
  strings.front() = strings.back() = std::byte{0};
  elf.add_section({".symtab", SHT_SYMTAB, 0, 0, table, text + 2, sizeof(Elf64_Sym)});
  elf.add_section({".strtab", SHT_STRTAB, 0, 0, strings, 0, 0});
  return elf.build();
}

std::shared_ptr<const Image> image_of(std::vector<std::byte> bytes) {
  auto image = Image::from_bytes(std::move(bytes), "program");
  REQUIRE(image);
  return *image;
}

}  // namespace

TEST_CASE("amplification: symbols that share a long name do not each have all of it") {
  const auto bytes_of_names = [](std::size_t symbols, std::size_t name_size) {
    const auto image = image_of(program_with_shared_name(symbols, name_size));
    const auto table = read_raw_symbols(*image, *image->find_section(".symtab"));
    REQUIRE(table);
    CHECK(table->size() == symbols);
    std::size_t bytes = 0;
    for (const RawSymbol& symbol : *table) bytes += symbol.name.size();
    return bytes;
  };
  CHECK(bytes_of_names(10, 20'000) == 200'000);
  const std::size_t once = bytes_of_names(500, 500'000);
  CHECK(bytes_of_names(1000, 1'000'000) <= 2 * once);
  CHECK(SymbolTable::build(image_of(program_with_shared_name(10, 500'000)), nullptr,
                           SymbolPolicy::full)
            ->size() == 10);
}

TEST_CASE("amplification: sections and symbols of PE that share a long name do not each have it") {
  constexpr std::size_t count = 1000;
  PeBuilder builder;
  builder.sections.assign(count, {std::string(100'000, 'n'), 0x1000, "code", 0, pe_code});
  builder.symbols.assign(count, {std::string(100'000, 's'), 0});
  auto bytes = builder.build();
  const auto whole = image_of(bytes);
  const Section table = *whole->find_section(".symtab");
  // All take the names of the first ones.
  const std::size_t headers = PeBuilder::header_offset + 24 + 112 + 16 * 8;
  for (std::size_t i = 0; i < count; ++i) {
    std::copy_n(bytes.begin() + headers, 8, bytes.begin() + headers + 40 * i);
    std::copy_n(bytes.begin() + table.offset, 8, bytes.begin() + table.offset + 18 * i);
  }
  const auto image = image_of(bytes);
  std::size_t of_sections = 0;
  for (const Section& section : image->sections()) of_sections += section.name.size();
  CHECK(of_sections >= count);
  CHECK(of_sections <= 256 * count);
  const auto symbols = read_raw_symbols(*image, *image->find_section(".symtab"));
  REQUIRE(symbols);
  for (const RawSymbol& symbol : *symbols) CHECK(symbol.name.size() <= longest_shared_name);
}

TEST_CASE("amplification: the compressed sections of a file have one budget together") {
  const std::vector<std::byte> zeros(std::size_t{40} << 20);
  const auto packed = packed_section(zeros);
  ElfBuilder elf(PointerWidth::eight, ByteOrder::little, EM_X86_64);
  for (const char* name : {".debug_one", ".debug_two"}) {
    elf.add_section({name, SHT_PROGBITS, SHF_COMPRESSED, 0, packed, 0, 0});
  }
  const auto image = image_of(elf.build());
  REQUIRE(most_unpacked_bytes(image->file_size()) < 2 * zeros.size());
  CHECK(image->section_bytes(*image->find_section(".debug_one")));
  const auto second = image->section_bytes(*image->find_section(".debug_two"));
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::unsupported);
  CHECK_THAT(second.error().message, Catch::Contains("41943040 bytes are announced") &&
                                         Catch::Contains("may have") &&
                                         Catch::Contains(".debug_two"));
}

TEST_CASE("amplification: what a file expands to ends where it may") {
  const auto packed = packed_section(std::vector<std::byte>(1'000'000));
  const auto stream = std::span(packed).subspan(sizeof(Elf64_Chdr));
  CHECK(decompress(Compression::zlib, stream, std::nullopt, 1'000'000)->size() == 1'000'000);
  const auto more = decompress(Compression::zlib, stream, std::nullopt, 999'999);
  REQUIRE_FALSE(more);
  CHECK_THAT(more.error().message, Catch::Contains("more than 999999 bytes"));
}

TEST_CASE("amplification: a debug link leads to no file that is read without end") {
  const auto directory = test::fresh_directory("debug_link_sparse");
  ElfBuilder stripped(PointerWidth::eight, ByteOrder::little, EM_X86_64);
  stripped.add_text(0x1000, std::vector<std::byte>(16));
  const std::string link = std::string("program.debug\0\0\0", 16) + "crc.";
  const auto* bytes = reinterpret_cast<const std::byte*>(link.data());
  stripped.add_section({".gnu_debuglink", SHT_PROGBITS, 0, 0, {bytes, bytes + link.size()}, 0, 0});
  write_file(directory / "stripped", stripped.build());
  ElfBuilder debug(PointerWidth::eight, ByteOrder::little, EM_X86_64);
  debug.add_text(0x1000, std::vector<std::byte>(16));
  write_file(directory / "program.debug", debug.build());
  std::filesystem::resize_file(directory / "program.debug", std::uintmax_t{40} << 30);
  const auto image = Image::open(directory / "stripped");
  REQUIRE(image);
  Warnings warnings;
  CHECK_FALSE(find_debug_file(**image, {{}}, warnings));
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].code == ErrorCode::unsupported);
  CHECK_THAT(describe(warnings[0]),
             Catch::Contains("program.debug") && Catch::Contains("--build-id"));
}
