// How often units are read, counted: once for each answer would be thousands of times.
#include <catch2/catch.hpp>
#include <dwarf.h>

#include "engine/source/program_sources.h"
#include "tests/support/elf_builder.h"
#include "tests/unit/dwarf/section_builder.h"

using namespace gprof;
using gprof::test::SectionBuilder;

namespace {

constexpr std::uint64_t first_address = 0x10000;
constexpr unsigned bytes_of_function = 16;

// The codes of the abbreviations below.
constexpr unsigned unit_shape = 1;
constexpr unsigned function_shape = 2;
constexpr unsigned abstract_shape = 3;
constexpr unsigned instance_shape = 4;

SectionBuilder shapes() {
  SectionBuilder abbrev(ByteOrder::little);
  const auto attribute = [&](unsigned name, unsigned form) { abbrev.uleb128(name).uleb128(form); };
  const auto code_range = [&] {
    attribute(DW_AT_low_pc, DW_FORM_addr);
    attribute(DW_AT_high_pc, DW_FORM_data8);
  };
  abbrev.uleb128(unit_shape).uleb128(DW_TAG_compile_unit).u8(DW_CHILDREN_yes);
  attribute(DW_AT_stmt_list, DW_FORM_sec_offset);
  code_range();
  abbrev.u8(0).u8(0).uleb128(function_shape).uleb128(DW_TAG_subprogram).u8(DW_CHILDREN_no);
  attribute(DW_AT_decl_file, DW_FORM_data1);
  attribute(DW_AT_decl_line, DW_FORM_data4);
  code_range();
  abbrev.u8(0).u8(0).uleb128(abstract_shape).uleb128(DW_TAG_subprogram).u8(DW_CHILDREN_no);
  attribute(DW_AT_name, DW_FORM_string);
  abbrev.u8(0).u8(0).uleb128(instance_shape).uleb128(DW_TAG_subprogram).u8(DW_CHILDREN_no);
  attribute(DW_AT_abstract_origin, DW_FORM_ref_addr);
  code_range();
  return abbrev.u8(0).u8(0).u8(0);
}

// A version 4 line table with one file and no rows.
SectionBuilder table_of_one_file() {
  SectionBuilder parameters(ByteOrder::little);
  parameters.u8(1).u8(1).u8(1).u8(0xFB).u8(14).u8(1).u8(0);
  parameters.string("/f.c").u8(0).u8(0).u8(0).u8(0);
  SectionBuilder table(ByteOrder::little);
  return table.u32(6 + parameters.size()).u16(4).u32(parameters.size()).append(parameters);
}

// A program whose units each have the same number of functions, with code in that order.
struct ManyUnits {
  ManyUnits(std::uint64_t units, std::uint64_t functions) : functions_of_unit(functions) {
    elf.add_section({".debug_abbrev", SHT_PROGBITS, 0, 0, shapes().bytes(), 0, 0});
    elf.add_section({".debug_line", SHT_PROGBITS, 0, 0, table_of_one_file().bytes(), 0, 0});
    const std::uint64_t size = units * functions * bytes_of_function;
    text = elf.add_text(first_address, std::vector<std::byte>(size));
  }

  // `add_entries` appends the entries of the function with that number.
  template <typename AddEntries>
  void add_unit(const AddEntries& add_entries) {
    SectionBuilder entries(ByteOrder::little);
    const std::uint64_t first = count;
    for (; count < first + functions_of_unit; ++count) add_entries(entries, count);
    info.u32(7 + 1 + 4 + 16 + entries.size() + 1).u16(4).u32(0).u8(8);
    info.u8(unit_shape).u32(0).u64(start_of(first)).u64(functions_of_unit * bytes_of_function);
    info.append(entries).u8(0);
  }
  [[nodiscard]] static std::uint64_t start_of(std::uint64_t number) {
    return first_address + number * bytes_of_function;
  }
  [[nodiscard]] std::shared_ptr<const Image> image() {
    elf.add_section({".debug_info", SHT_PROGBITS, 0, 0, info.bytes(), 0, 0});
    for (std::uint64_t i = 0; i < count; ++i) {
      elf.add_symbol("f" + std::to_string(i), start_of(i), bytes_of_function, STB_GLOBAL, STT_FUNC,
                     text);
    }
    auto image = Image::from_bytes(elf.build(), "program");
    REQUIRE(image);
    return *image;
  }

  test::ElfBuilder elf{PointerWidth::eight, ByteOrder::little, EM_X86_64};
  SectionBuilder info{ByteOrder::little};
  std::uint64_t functions_of_unit;
  std::uint64_t count = 0;
  std::uint32_t text = 0;
};

std::unique_ptr<DebugInformation> opened(const std::shared_ptr<const Image>& image) {
  auto debug = DebugInformation::open(image, "program");
  INFO((debug ? "" : describe(debug.error())));
  REQUIRE(debug);
  return std::move(*debug);
}

}  // namespace

// As an export asks, by descending time.
TEST_CASE("declarations that are asked for back and forth between the units read each unit once") {
  constexpr std::uint64_t units = 64;
  constexpr std::uint64_t functions = 1000;  // together more than the cache of decoded units holds
  constexpr std::uint64_t asked = 20;        // of each unit
  ManyUnits program(units, functions);
  for (std::uint64_t unit = 0; unit < units; ++unit) {
    program.add_unit([](SectionBuilder& entries, std::uint64_t number) {
      entries.u8(function_shape).u8(1).u32(number + 1);
      entries.u64(ManyUnits::start_of(number)).u64(bytes_of_function);
    });
  }
  const auto image = program.image();
  const auto debug = opened(image);
  const auto symbols = SymbolTable::build(image, nullptr, SymbolPolicy::full);
  REQUIRE(symbols);
  const ProgramSources sources(*symbols, debug.get());
  for (std::uint64_t i = 0; i < asked; ++i) {
    for (std::uint64_t unit = 0; unit < units; ++unit) {
      const std::uint64_t number = unit * functions + i;
      const auto symbol = symbols->find(Address{ManyUnits::start_of(number)});
      REQUIRE(symbol);
      const auto declared = sources.declaration(*symbol);
      REQUIRE(declared);
      CHECK(declared->line == number + 1);
    }
  }
  CHECK(debug->unit_reads() == units);
}

// As after link-time optimisation.
TEST_CASE("a unit that all others refer to is read once, for the editor and for reports") {
  constexpr std::uint64_t units = 20;
  ManyUnits program(units, 1);
  std::uint64_t abstract_at = 0;
  for (std::uint64_t unit = 0; unit < units; ++unit) {
    program.add_unit([&](SectionBuilder& entries, std::uint64_t number) {
      if (number == 0) {
        abstract_at = 11 + 1 + 4 + 16;  // after the header and the unit's entry
        entries.u8(abstract_shape).string("shared");
      }
      entries.u8(instance_shape).u32(abstract_at);
      entries.u64(ManyUnits::start_of(number)).u64(bytes_of_function);
    });
  }
  const auto debug = opened(program.image());
  for (UnitIndex unit = 1; unit < units; ++unit) {
    const auto functions = debug->functions(unit);
    REQUIRE(functions);
    REQUIRE(functions->subprograms.size() == 1);
    CHECK(functions->subprograms.front().name == "shared");
    const auto named = debug->named_code(unit);
    REQUIRE(named);
    REQUIRE(named->functions.size() == 1);
    CHECK(named->functions.front().own_name == "shared");
  }
  CHECK(debug->functions(0));
  // The shared one, and each of the others for the editor and for reports.
  CHECK(debug->unit_reads() == 1 + 2 * (units - 1));
}
