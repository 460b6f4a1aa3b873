#include "engine/object/names_at_addresses.h"

#include <string>

#include <catch2/catch.hpp>

#include "engine/object/symbol_table.h"
#include "engine/support/limits.h"
#include "tests/support/build_program.h"
#include "tests/support/elf_builder.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;

namespace {

std::shared_ptr<const Image> image_of(const ElfBuilder& builder) {
  auto image = Image::from_bytes(builder.build(), "built");
  if (!image) FAIL(describe(image.error()));
  return *image;
}

// A library of 0x400 bytes of code at 0x1000, with symbols added by the test.
class Library {
 public:
  explicit Library(std::uint16_t machine = EM_X86_64)
      : builder_(PointerWidth::eight, ByteOrder::little, machine, ET_DYN) {
    text_ = builder_.add_text(0x1000, std::vector<std::byte>(0x400));
  }
  Library& function(std::string_view name, std::uint64_t address, std::uint64_t size,
                    unsigned binding = STB_GLOBAL, unsigned type = STT_FUNC) {
    builder_.add_symbol(name, address, size, binding, type, text_);
    return *this;
  }
  // "a - b": the names at the addresses, "-" for none.
  [[nodiscard]] std::string names_at(const std::vector<Address>& addresses) const {
    const auto image = image_of(builder_);
    const NamesAtAddresses names(*image, nullptr, addresses);
    std::string text;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const std::string_view name = names.at(i);
      text += (i == 0 ? "" : " ") + std::string(name.empty() ? "-" : name);
    }
    return text;
  }

 private:
  ElfBuilder builder_;
  std::uint32_t text_ = 0;
};

}  // namespace

TEST_CASE("names at addresses: a function covers its own size, and nothing beyond") {
  Library library;
  library.function("first", 0x1000, 0x20).function("third", 0x1100, 0x10);
  library.function("unsized", 0x1200, 0);
  library.function("data", 0x1300, 0x10, STB_GLOBAL, STT_OBJECT);
  CHECK(library.names_at({{0xfff},
                          {0x1000},
                          {0x101f},
                          {0x1020},
                          {0x10ff},
                          {0x1100},
                          {0x110f},
                          {0x1110},
                          {0x1200},
                          {0x1300},
                          {0x9000}}) == "- first first - - third third - - - -");
  CHECK(library.names_at({}).empty());
}

TEST_CASE("names at addresses: of several functions around an address, the one that starts last") {
  Library library;
  library.function("outer", 0x1000, 0x100).function("inner", 0x1040, 0x10);
  library.function("beside", 0x1080, 0x100);
  CHECK(library.names_at({{0x1000}, {0x1040}, {0x1050}, {0x1080}, {0x10ff}, {0x1100}, {0x1180}}) ==
        "outer inner outer beside beside beside -");
}

TEST_CASE("names at addresses: the public name, then the shortest") {
  Library library;
  library.function("__write", 0x1000, 0x10).function("write", 0x1000, 0x10, STB_WEAK);
  library.function("__libc_write", 0x1000, 0x10);
  library.function("short", 0x1100, 0x10, STB_LOCAL).function("exported", 0x1100, 0x10);
  library.function("__memmove_unaligned", 0x1200, 0x10, STB_LOCAL);
  library.function("__memcpy_unaligned", 0x1200, 0x10, STB_LOCAL);
  library.function("__sin_fma", 0x1300, 0x10, STB_LOCAL);
  CHECK(library.names_at({{0x1004}, {0x1104}, {0x1204}, {0x1304}}) ==
        "write exported __memcpy_unaligned __sin_fma");
}

TEST_CASE("names at addresses: versions and split-off parts are no names of their own") {
  Library library;
  library.function("memcpy@@GLIBC_2.14", 0x1000, 0x10).function("grow.cold", 0x1100, 0x10);
  library.function("grow.constprop.0", 0x1200, 0x10, STB_LOCAL);
  CHECK(library.names_at({{0x1000}, {0x1100}, {0x1200}}) == "memcpy grow grow.constprop.0");
}

TEST_CASE("names at addresses: a size beyond all addresses covers nothing") {
  Library library;
  library.function("endless", 0x1000, ~std::uint64_t{0}).function("f", 0x1010, 0x10);
  CHECK(library.names_at({{0x1000}, {0x1010}, {0x1020}}) == "- f -");
}

TEST_CASE("names at addresses: the lowest bit of ARM's addresses says Thumb") {
  Library library(EM_ARM);
  library.function("thumb", 0x1001, 0x10);
  CHECK(library.names_at({{0x1000}, {0x1010}}) == "thumb -");
}

TEST_CASE(
    "names at addresses: a stripped library's debug file has the names of its own functions") {
  if (!have_programs({"g++", "objcopy", "strip"})) return;
  const auto directory = fresh_directory("names_at_addresses_debug");
  run_or_fail({"g++", "-shared", "-fPIC", program_source("object_shapes.cc"), "-o", "library.so"},
              directory);
  run_or_fail({"objcopy", "--only-keep-debug", "library.so", "library.debug"}, directory);
  const auto whole = Image::open(directory / "library.so");
  REQUIRE(whole);
  const auto table = SymbolTable::build(*whole, nullptr, SymbolPolicy::full);
  REQUIRE(table);
  run_or_fail({"strip", "library.so"}, directory);
  const auto stripped = Image::open(directory / "library.so");
  const auto debug = Image::open(directory / "library.debug");
  REQUIRE((stripped && debug));
  std::vector<Address> addresses;
  for (const Symbol& symbol : table->symbols()) {
    if (symbol.size > 0) addresses.push_back(symbol.address);
  }
  REQUIRE_FALSE(addresses.empty());
  const NamesAtAddresses from_debug(**stripped, debug->get(), addresses);
  const NamesAtAddresses exported(**stripped, nullptr, addresses);
  const NamesAtAddresses from_table(**whole, nullptr, addresses);
  std::size_t local = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    CHECK_FALSE(from_table.at(i).empty());
    CHECK(from_debug.at(i) == from_table.at(i));
    // What is not exported is unknown, never a neighbour.
    const bool same_or_none = exported.at(i).empty() || exported.at(i) == from_table.at(i);
    CHECK(same_or_none);
    if (exported.at(i).empty()) ++local;
  }
  CHECK(local > 0);
}

TEST_CASE("amplification: names of functions are bounded by the file's names") {
  // Every symbol has another rest of one long text for a name.
  const auto named_bytes = [](std::uint32_t symbols) {
    const std::string text(std::size_t{16} << 10U, 'x');
    ElfBuilder builder(PointerWidth::eight, ByteOrder::little, EM_X86_64, ET_DYN);
    const std::uint32_t code = builder.add_text(0x1000, std::vector<std::byte>(symbols));
    std::vector<std::byte> strings(1);
    for (const char letter : text + '\0') strings.push_back(static_cast<std::byte>(letter));
    const std::uint32_t names = builder.add_section({".strtab", SHT_STRTAB, 0, 0, strings, 0, 0});
    std::vector<std::byte> table(sizeof(Elf64_Sym));
    std::vector<Address> addresses;
    for (std::uint32_t i = 0; i < symbols; ++i) {
      addresses.push_back({0x1000 + i});
      const std::uint64_t fields[][2] = {
          {1 + i, 4}, {STB_GLOBAL << 4 | STT_FUNC, 1}, {0, 1}, {code, 2}, {0x1000 + i, 8}, {1, 8}};
      for (const auto& [value, size] : fields) {
        const auto bytes = builder.integer(value, size);
        table.insert(table.end(), bytes.begin(), bytes.end());
      }
    }
    builder.add_section({".symtab", SHT_SYMTAB, 0, 0, table, names, sizeof(Elf64_Sym)});
    const NamesAtAddresses found(*image_of(builder), nullptr, addresses);
    CHECK(found.at(0) == text);
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < addresses.size(); ++i) bytes += found.at(i).size();
    CHECK(bytes <= most_shared_bytes(strings.size()));
    return bytes;
  };
  CHECK(named_bytes(2000) <= named_bytes(1000) + (std::uint64_t{16} << 10U));
}
