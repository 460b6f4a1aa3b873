// Files with damaged debug information: they cost what is damaged, never the process.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

#include <catch2/catch.hpp>

#include "engine/dwarf/debug_information.h"
#include "tests/support/build_program.h"
#include "tests/support/process.h"
#include "tests/support/test_seed.h"
#include "tests/unit/dwarf/program_under_test.h"

using namespace gprof;
using namespace gprof::test;

namespace {

std::vector<std::byte> bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

Section section_of(const std::vector<std::byte>& bytes, const std::string& name) {
  const auto image = Image::from_bytes(bytes, "program");
  REQUIRE(image);
  const Section* section = (*image)->find_section(name);
  REQUIRE(section != nullptr);
  return *section;
}

Expected<std::unique_ptr<DebugInformation>> open_bytes(std::vector<std::byte> bytes) {
  auto image = Image::from_bytes(std::move(bytes), "program");
  if (!image) return image.error();
  return DebugInformation::open(*image, "program");
}

void check_consistent(const UnitFunctions& functions) {
  for (const InlinedCall& call : functions.inlined_calls) {
    REQUIRE(call.callee < functions.subprograms.size());
    REQUIRE(call.container < functions.subprograms.size());
    const auto own_index = static_cast<std::size_t>(&call - functions.inlined_calls.data());
    REQUIRE((!call.parent || *call.parent < own_index));
  }
}

// Reads everything; the result must be consistent, whatever it is.
void read_all(const DebugInformation& debug) {
  for (UnitIndex unit = 0; unit < debug.units().size(); ++unit) {
    (void)debug.files(unit);
    const auto rows = debug.rows(unit);
    REQUIRE((!rows || rows->empty() || rows->back().end_of_sequence));
    const auto functions = debug.functions(unit);
    if (functions) check_consistent(*functions);
  }
  (void)debug.unit_at(Address{0x1100});
  (void)debug.units_of_file(1);
  (void)debug.warnings();
}

void damage(std::vector<std::byte>& bytes, const std::vector<Section>& sections,
            std::mt19937& random) {
  const Section& section = sections[random() % sections.size()];
  const std::size_t at = section.offset + random() % section.size;
  const std::uint8_t telling[] = {0x00, 0x01, 0x7F, 0x80, 0xFF};
  switch (random() % 3) {
    case 0:
      bytes[at] ^= static_cast<std::byte>(1u << random() % 8);
      break;
    case 1:
      bytes[at] = static_cast<std::byte>(random());
      break;
    default: {
      const std::size_t size = std::min(random() % 8 + 1, section.offset + section.size - at);
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), size,
                  static_cast<std::byte>(telling[random() % std::size(telling)]));
      break;
    }
  }
}

}  // namespace

TEST_CASE("damaged sections give errors, warnings or other rows, and nothing worse") {
  const auto directory = fresh_directory("dwarf_damage");
  for (const std::string compiler : {"g++", "clang++"}) {
    for (const std::string version : {"-gdwarf-4", "-gdwarf-5"}) {
      if (!have_programs({compiler})) continue;
      const auto intact = bytes_of(build_program(
          {compiler, "-O2", "-g", version}, {"dwarf_outside.cc", "dwarf_small.cc"}, directory));
      std::vector<Section> sections;
      const auto image = Image::from_bytes(intact, "program");
      REQUIRE(image);
      for (const Section& section : (*image)->sections()) {
        if (section.name.starts_with(".debug_") && section.size > 0) sections.push_back(section);
      }
      std::size_t readable = 0;
      for (unsigned seed = 0; seed < 250; ++seed) {
        INFO(compiler << version << " seed " << seed);
        std::mt19937 random(test_seed(seed));
        auto bytes = intact;
        for (auto changes = random() % 5 + 1; changes > 0; --changes) {
          damage(bytes, sections, random);
        }
        const auto debug = open_bytes(std::move(bytes));
        if (!debug) continue;
        ++readable;
        read_all(**debug);
      }
      CHECK(readable > 100);
    }
  }
}

TEST_CASE("sections cut off at any length are survived") {
  const auto directory = fresh_directory("dwarf_cut");
  if (!have_programs({"g++"})) return;
  const auto intact = bytes_of(
      build_program({"g++", "-O2", "-g"}, {"dwarf_outside.cc", "dwarf_small.cc"}, directory));
  for (const std::string name : {".debug_info", ".debug_abbrev", ".debug_line", ".debug_str"}) {
    const Section section = section_of(intact, name);
    for (std::uint64_t kept = 0; kept < section.size; kept += section.size / 40 + 1) {
      INFO(name << " after " << kept);
      auto bytes = intact;
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(section.offset + kept),
                bytes.begin() + static_cast<std::ptrdiff_t>(section.offset + section.size),
                std::byte{0});
      const auto debug = open_bytes(std::move(bytes));
      if (debug) read_all(**debug);
    }
  }
}

TEST_CASE("a damaged unit is named, and the others are read") {
  const auto directory = fresh_directory("dwarf_one_damaged");
  if (!have_programs({"g++"})) return;
  const auto intact = bytes_of(build_program({"g++", "-std=c++17", "-O2", "-g"},
                                             {"dwarf_outside.cc", "dwarf_shapes.cc"}, directory));
  const Section info = section_of(intact, ".debug_info");

  // The version of the first unit, in its header.
  auto bytes = intact;
  bytes[info.offset + 4] = std::byte{77};
  auto debug = open_bytes(bytes);
  REQUIRE(debug);
  REQUIRE((*debug)->warnings().size() == 1);
  CHECK_THAT((*debug)->warnings().front().message,
             Catch::Contains("the unit at 0x0 of .debug_info is left out: DWARF version 77"));
  CHECK(ProgramFunctions(**debug).has("ns::Box::grow"));
  CHECK_FALSE(ProgramFunctions(**debug).has("outside::visit"));

  // The abbreviation code of its unit DIE, after a header of twelve bytes.
  bytes = intact;
  bytes[info.offset + 12] = std::byte{0x7F};
  debug = open_bytes(bytes);
  REQUIRE(debug);
  CHECK((*debug)->warnings().size() == 1);
  CHECK(ProgramFunctions(**debug).has("ns::Box::grow"));

  // The line table of the first unit: its functions keep their names but lose their locations.
  bytes = intact;
  bytes[section_of(intact, ".debug_line").offset + 4] = std::byte{77};
  debug = open_bytes(bytes);
  REQUIRE(debug);
  CHECK_FALSE((*debug)->rows(0));
  CHECK((*debug)->rows(1));
  CHECK((*debug)->files(0).empty());
  const ProgramFunctions functions(**debug);
  CHECK(functions.function("outside::visit").declaration.file == no_file);
  REQUIRE((*debug)->warnings().size() == 1);
  CHECK_THAT((*debug)->warnings().front().message,
             Catch::Contains("line table version 77, expected 2 to 5"));
}
