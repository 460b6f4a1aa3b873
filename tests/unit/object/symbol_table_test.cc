#include "engine/object/symbol_table.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "engine/object/debug_file.h"
#include "tests/support/build_program.h"
#include "tests/support/elf_builder.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;

namespace {

constexpr std::uint64_t text_start = 0x1000;

// A program of 0x400 bytes of code at 0x1000, with symbols added by the test.
class Program {
 public:
  explicit Program(std::uint16_t machine = EM_X86_64, ByteOrder order = ByteOrder::little)
      : builder(PointerWidth::eight, order, machine) {
    text = builder.add_text(text_start, std::vector<std::byte>(0x400));
  }
  void function(std::string_view name, std::uint64_t address, std::uint64_t size,
                unsigned binding = STB_GLOBAL) {
    builder.add_symbol(name, address, size, binding, STT_FUNC, text);
  }
  void label(std::string_view name, std::uint64_t address, unsigned binding) {
    builder.add_symbol(name, address, 0, binding, STT_NOTYPE, text);
  }
  void file(std::string_view name) { builder.add_symbol(name, 0, 0, STB_LOCAL, STT_FILE, SHN_ABS); }
  [[nodiscard]] SymbolTable table() const {
    auto built = SymbolTable::build(*Image::from_bytes(builder.build(), "built"), nullptr,
                                    SymbolPolicy::full);
    if (!built) FAIL(describe(built.error()));
    return *std::move(built);
  }

  ElfBuilder builder;
  std::uint32_t text = 0;
};

// "name 1000-1010" of every symbol.
std::vector<std::string> ranges_of(const SymbolTable& table) {
  std::vector<std::string> lines;
  for (const Symbol& symbol : table.symbols()) {
    char range[64];
    std::snprintf(range, sizeof range, " %llx-%llx",
                  static_cast<unsigned long long>(symbol.address.value),
                  static_cast<unsigned long long>(symbol.end.value));
    lines.push_back(std::string(symbol.name) + range);
  }
  return lines;
}

using Lines = std::vector<std::string>;

std::string_view origin_name(const SymbolTable& table, std::string_view clone) {
  const auto index = table.find_by_name(clone);
  REQUIRE(index);
  return table[table[*index].clone_of].name;
}

}  // namespace

TEST_CASE("functions end where their size says, and padding belongs to them") {
  Program program;
  program.function("first", 0x1000, 0x15);
  program.function("second", 0x1020, 0x10);
  program.function("after_a_gap", 0x1100, 0);
  program.function("unsized", 0x1200, 0);
  const auto table = program.table();
  CHECK(ranges_of(table) ==
        Lines{"first 1000-1020", "second 1020-1030", "after_a_gap 1100-1200", "unsized 1200-1400"});
  CHECK(table.find({0x101f}) == SymbolIndex{0});
  CHECK_FALSE(table.find({0x1030}));
  CHECK_FALSE(table.find({0xfff}));
  CHECK_FALSE(table.find({0x1400}));
  CHECK(table.find({0x13ff}) == SymbolIndex{3});
}

TEST_CASE("a function inside another one ends it, and nothing overlaps") {
  Program program;
  program.function("outer", 0x1000, 0x100);
  program.function("inner", 0x1040, 0x20);
  program.function("huge", 0x1100, ~std::uint64_t{0});
  CHECK(ranges_of(program.table()) ==
        Lines{"outer 1000-1040", "inner 1040-1060", "huge 1100-1400"});
}

TEST_CASE("of several names of one address the one that its author would use is chosen") {
  Program program;
  program.function("__open", 0x1000, 0x10);
  program.function("open", 0x1000, 0x10, STB_WEAK);
  program.function("_open", 0x1000, 0x10);
  program.label("open_label", 0x1000, STB_GLOBAL);
  program.function("_ZN1AC2Ev", 0x1010, 0x10);
  program.function("_ZN1AC1Ev", 0x1010, 0x10);
  program.function("versioned@@V2", 0x1020, 0x10);
  const auto table = program.table();
  REQUIRE(table.size() == 3);
  CHECK(table[0].name == "_open");
  CHECK(table.aliases(0) == std::vector<std::string_view>{"__open", "open"});
  CHECK(table[1].name == "_ZN1AC1Ev");
  CHECK(table.aliases(1) == std::vector<std::string_view>{"_ZN1AC2Ev"});
  CHECK(table.find_by_name("open") == SymbolIndex{0});
  CHECK(table.find_by_name("versioned") == SymbolIndex{2});
  CHECK_FALSE(table.find_by_name("absent"));
}

TEST_CASE("labels in code are functions only where no function covers them") {
  Program program;
  program.function("function", 0x1000, 0x40);
  program.label("inside", 0x1010, STB_LOCAL);
  program.label("assembly", 0x1080, STB_GLOBAL);
  program.label(".Lloop", 0x1090, STB_LOCAL);
  program.label("$x", 0x1094, STB_LOCAL);
  program.label("etext", 0x1098, STB_GLOBAL);
  program.function("unsized", 0x1100, 0);
  program.label("loop_of_unsized", 0x1110, STB_LOCAL);
  program.label("second_entry", 0x1120, STB_GLOBAL);
  program.builder.add_symbol("data", 0x9000, 4, STB_GLOBAL, STT_FUNC, SHN_ABS);
  const auto table = program.table();
  CHECK(ranges_of(table) == Lines{"function 1000-1040", "assembly 1080-1100", "unsized 1100-1120",
                                  "second_entry 1120-1400"});
  CHECK_FALSE(table[1].is_function);
}

TEST_CASE("clones are tied to their function") {
  Program program;
  program.file("one.c");
  program.function("helper", 0x1000, 0x10, STB_LOCAL);
  program.function("helper.cold", 0x1300, 0x10, STB_LOCAL);
  program.file("two.c");
  program.function("helper", 0x1200, 0x10, STB_LOCAL);
  program.function("helper.cold", 0x1010, 0x10, STB_LOCAL);
  program.function("helper.constprop.0", 0x1210, 0x10, STB_LOCAL);
  program.function("gone.part.0", 0x1220, 0x10, STB_LOCAL);
  program.function("gone.part.0.cold", 0x1230, 0x10, STB_LOCAL);
  program.function("own.lto_priv.0", 0x1240, 0x10, STB_LOCAL);
  program.function("own.lto_priv.0.cold", 0x1250, 0x10, STB_LOCAL);
  const auto table = program.table();
  const auto origin_at = [&table](std::uint64_t address) {
    return table[table[*table.find({address})].clone_of].address;
  };
  CHECK(origin_at(0x1300) == Address{0x1000});  // by the file, not by nearness
  CHECK(origin_at(0x1010) == Address{0x1200});
  CHECK(origin_at(0x1210) == Address{0x1200});
  CHECK(table[*table.find({0x1210})].clone == CloneKind::specialised);
  CHECK(table[*table.find({0x1300})].clone == CloneKind::part);
  CHECK(origin_at(0x1220) == Address{0x1220});
  CHECK(origin_at(0x1230) == Address{0x1220});
  CHECK(table[*table.find({0x1240})].clone == CloneKind::none);
  CHECK(origin_at(0x1250) == Address{0x1240});
}

TEST_CASE("Thumb bits and function descriptors are resolved to code") {
  Program arm(EM_ARM);
  arm.function("thumb", 0x1001, 0x10);
  CHECK(ranges_of(arm.table()) == Lines{"thumb 1000-1010"});

  Program power(EM_PPC64, ByteOrder::big);
  auto descriptor = power.builder.integer(0x1040, 8);
  descriptor.resize(24);
  const auto section = power.builder.add_section(
      {".opd", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x3000, descriptor, 0, 0});
  power.builder.add_symbol("described", 0x3000, 0x400, STB_GLOBAL, STT_FUNC, section);
  CHECK(ranges_of(power.table()) == Lines{"described 1040-1400"});
}

TEST_CASE("GNU gprof's symbols of a program without .text are those of all its code") {
  ElfBuilder builder(PointerWidth::four, ByteOrder::little, EM_ARM);
  const auto code = [&](const char* name, std::uint64_t address, std::uint32_t type) {
    return builder.add_section(
        {name, type, SHF_ALLOC | SHF_EXECINSTR, address, std::vector<std::byte>(0x20), 0, 0});
  };
  const auto fast = code("iram", 0x20000000, SHT_PROGBITS);
  const auto flash = code("text", 0x1000, SHT_PROGBITS);
  const auto empty = code("noload", 0x30000000, SHT_NOBITS);
  builder.add_symbol("flash", 0x1001, 8, STB_GLOBAL, STT_FUNC, flash);
  builder.add_symbol("fast", 0x20000001, 8, STB_GLOBAL, STT_FUNC, fast);
  const auto table_of = [](const ElfBuilder& program) {
    auto image = Image::from_bytes(program.build(), "firmware");
    REQUIRE(image);
    return SymbolTable::build(*image, nullptr, SymbolPolicy::gnu);
  };
  const auto table = table_of(builder);
  REQUIRE(table);
  // The Thumb bit is not part of an address; the last function ends with its section.
  CHECK(ranges_of(*table) == Lines{"flash 1000-20000000", "fast 20000000-20000020"});

  // A symbol that is in no section with code ends where it begins.
  builder.add_symbol("nowhere", 0x30000001, 8, STB_GLOBAL, STT_FUNC, empty);
  const auto beyond = table_of(builder);
  REQUIRE(beyond);
  CHECK(ranges_of(*beyond).back() == "nowhere 30000000-30000000");

  ElfBuilder data_alone(PointerWidth::four, ByteOrder::little, EM_ARM);
  const auto data = data_alone.add_section(
      {"data", SHT_PROGBITS, SHF_ALLOC, 0x1000, std::vector<std::byte>(4), 0, 0});
  data_alone.add_symbol("datum", 0x1000, 4, STB_GLOBAL, STT_OBJECT, data);
  const auto none = table_of(data_alone);
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error().message, Catch::Contains("the program has no code"));
}

TEST_CASE("a program without symbols says what to do") {
  const auto image = Image::from_bytes(Program().builder.build(), "stripped");
  REQUIRE(image);
  const auto table = SymbolTable::build(*image, nullptr, SymbolPolicy::full);
  REQUIRE_FALSE(table);
  CHECK(table.error().code == ErrorCode::no_symbols);
  CHECK_THAT(table.error().message, Catch::Contains("rebuild it without -s"));
}

TEST_CASE("altered symbol tables are refused or survived") {
  Program program;
  program.function("f", 0x1000, 0x10);
  program.function("f.cold", 0x1010, 0x10);
  program.label("g", 0x1020, STB_GLOBAL);
  const auto whole = program.builder.build();
  const auto policy = GENERATE(SymbolPolicy::full, SymbolPolicy::gnu);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned value : {0x00U, 0x01U, 0x7fU, 0xffU}) {
      auto altered = whole;
      altered[at] = static_cast<std::byte>(value);
      const auto image = Image::from_bytes(std::move(altered), "altered");
      if (!image) continue;
      const auto table = SymbolTable::build(*image, nullptr, policy);
      if (!table || policy == SymbolPolicy::gnu) continue;
      Address covered_to;
      for (const Symbol& symbol : table->symbols()) {
        CHECK(symbol.address >= covered_to);
        CHECK(symbol.end > symbol.address);
        CHECK(symbol.clone_of < table->size());
        covered_to = symbol.end;
      }
    }
  }
}

TEST_CASE("a real program's clones and constructors") {
  if (!have_programs({"g++", "strip", "objcopy", "nm"})) return;
  const auto directory = fresh_directory("symbols_real");
  run_or_fail({"g++", "-g", "-O2", program_source("object_shapes.cc"), "-o", "program"}, directory);
  const auto image = Image::open(directory / "program");
  REQUIRE(image);
  const auto table = SymbolTable::build(*image, nullptr, SymbolPolicy::full);
  REQUIRE(table);
  CHECK(origin_name(*table, "_ZNK5Shape4areaEi.cold") == "_ZNK5Shape4areaEi");
  CHECK(table->find_by_name("_ZN5ShapeC1Ei") == table->find_by_name("_ZN5ShapeC2Ei"));
  CHECK((*table)[*table->find_by_name("main")].is_function);

  SECTION("stripped, with its debug file") {
    run_or_fail({"objcopy", "--only-keep-debug", "program", "program.debug"}, directory);
    run_or_fail({"strip", "-o", "stripped", "--remove-section=.comment", "program"}, directory);
    run_or_fail({"objcopy", "--add-gnu-debuglink=program.debug", "stripped"}, directory);
    const auto stripped = Image::open(directory / "stripped");
    REQUIRE(stripped);
    CHECK_FALSE(SymbolTable::build(*stripped, nullptr, SymbolPolicy::full));
    Warnings warnings;
    const auto debug = find_debug_file(**stripped, {{}}, warnings);
    REQUIRE(debug);
    const auto again = SymbolTable::build(*stripped, debug, SymbolPolicy::full);
    REQUIRE(again);
    CHECK(ranges_of(*again) == ranges_of(*table));
  }
  SECTION("stripped, with the symbols in .gnu_debugdata") {
    if (!have_programs({"xz"})) return;
    run_or_fail({"strip", "--keep-symbol=main", "-K", "_ZNK5Shape4areaEi", "-o", "mini", "program"},
                directory);
    run_or_fail({"xz", "-f", "mini"}, directory);
    run_or_fail({"strip", "-o", "stripped", "program"}, directory);
    run_or_fail({"objcopy", "--add-section", ".gnu_debugdata=mini.xz", "stripped"}, directory);
    const auto stripped = Image::open(directory / "stripped");
    REQUIRE(stripped);
    const auto again = SymbolTable::build(*stripped, nullptr, SymbolPolicy::full);
    REQUIRE(again);
    CHECK(again->find_by_name("main"));
    CHECK(again->find_by_name("_ZNK5Shape4areaEi"));
  }
  SECTION("a library has its dynamic symbols") {
    run_or_fail({"g++", "-O2", "-shared", "-fPIC", "-s", program_source("object_shapes.cc"), "-o",
                 "library.so"},
                directory);
    const auto library = Image::open(directory / "library.so");
    REQUIRE(library);
    const auto exported = SymbolTable::build(*library, nullptr, SymbolPolicy::full);
    REQUIRE(exported);
    CHECK(exported->find_by_name("_ZNK5Shape4areaEi"));
  }
}

TEST_CASE("the symbol that holds an address is found wherever symbols are dense or sparse") {
  // Two bytes per function, then sixteen, then one far away.
  Program program;
  std::uint64_t address = text_start;
  for (int i = 0; i < 100; ++i, address += 2) {
    program.function("d" + std::to_string(i), address, 2);
  }
  for (int i = 0; i < 10; ++i, address += 16) {
    program.function("s" + std::to_string(i), address, 12);
  }
  program.function("last", text_start + 0x3f0, 4);
  const SymbolTable table = program.table();
  REQUIRE(table.size() == 111);
  for (std::uint64_t at = text_start - 3; at < text_start + 0x405; ++at) {
    std::optional<SymbolIndex> expected;
    for (SymbolIndex i = 0; i < table.size(); ++i) {
      if (table[i].address.value <= at && at < table[i].end.value) expected = i;
    }
    INFO(at);
    CHECK(table.find({at}) == expected);
  }
  CHECK_FALSE(table.find({0}));
  CHECK_FALSE(table.find({~std::uint64_t{0}}));
}
