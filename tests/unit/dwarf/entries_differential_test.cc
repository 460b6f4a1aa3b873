// Every entry of programs in all versions of DWARF, with libdwarf as the judge.
#include <algorithm>

#include <catch2/catch.hpp>
#include <dwarf.h>
#include <fmt/format.h>

#include "engine/dwarf/libdwarf_unit.h"
#include "tests/support/build_program.h"
#include "tests/support/process.h"
#include "tests/unit/dwarf/program_under_test.h"

using namespace gprof;
using namespace gprof::dwarf;
using namespace gprof::test;

namespace {

// One line for each entry: where it is, how deep, what it is, and its attributes.
class EntryTexts {
 public:
  void add(std::uint64_t offset, std::size_t depth, std::uint16_t tag,
           std::span<const EntryAttribute> attributes) {
    std::string text = fmt::format("{:#x} {} tag {:#x}", offset, depth, tag);
    for (const EntryAttribute& attribute : attributes) {
      if (!has_value(attribute.form)) continue;
      text += fmt::format(" {:#x}/{:#x}={:#x}{}", attribute.name, attribute.form, attribute.value,
                          attribute.text);
    }
    texts.push_back(std::move(text));
  }

  std::vector<std::string> texts;

 private:
  // Whether both readers give values of the form.
  static bool has_value(std::uint16_t form) {
    switch (form) {
      case DW_FORM_block:
      case DW_FORM_block1:
      case DW_FORM_block2:
      case DW_FORM_block4:
      case DW_FORM_exprloc:
      case DW_FORM_data16:
      case DW_FORM_ref_sig8:
        return false;
      default:
        return true;
    }
  }
};

std::vector<std::string> our_entries(const DwarfSections& sections, const UnitHeader& header) {
  EntryTexts entries;
  DieReader reader(sections, header);
  while (reader.next()) {
    entries.add(reader.offset(), reader.depth(), reader.tag(), reader.attributes());
  }
  CHECK_FALSE(reader.damage());
  return entries.texts;
}

// The entry, those below it, and its later siblings.
void add_judged(const LibdwarfUnit& unit, std::uint64_t unit_offset, Dwarf_Die die,
                std::size_t depth, EntryTexts& entries) {
  Dwarf_Error error = nullptr;
  for (Dwarf_Die current = die; current != nullptr;) {
    Dwarf_Off offset = 0;
    REQUIRE(dwarf_dieoffset(current, &offset, &error) == DW_DLV_OK);
    const auto entry = unit.read_entry(current);
    REQUIRE(entry);
    entries.add(unit_offset + offset, depth, entry->tag, entry->attributes);
    Dwarf_Die child = nullptr;
    REQUIRE(dwarf_child(current, &child, &error) != DW_DLV_ERROR);
    if (child != nullptr) add_judged(unit, unit_offset, child, depth + 1, entries);
    Dwarf_Die sibling = nullptr;
    if (depth > 0) {
      REQUIRE(dwarf_siblingof_b(unit.debug(), current, true, &sibling, &error) != DW_DLV_ERROR);
      dwarf_dealloc_die(current);
    }
    current = sibling;
  }
}

std::vector<std::string> judged_entries(const DwarfSections& sections, const UnitHeader& header) {
  const auto unit = LibdwarfUnit::open(sections, header);
  REQUIRE(unit);
  EntryTexts entries;
  add_judged(*unit, header.offset, unit->unit_die(), 0, entries);
  return entries.texts;
}

// Of every `step`th unit: libdwarf is slow for large programs. Returns how many entries.
std::size_t check_same_entries(const std::string& file, SectionSet set, std::size_t step = 1) {
  INFO(file);
  const auto image = Image::open(file);
  REQUIRE(image);
  const auto sections = load_sections(*image, set);
  REQUIRE(sections);
  Warnings damage;
  const auto headers = read_unit_headers(*sections, damage);
  CHECK(damage.empty());
  std::size_t seen = 0;
  for (std::size_t i = 0; i < headers.size(); i += step) {
    if (headers[i].kind == UnitKind::type) continue;
    const auto ours = our_entries(*sections, headers[i]);
    const auto judged = judged_entries(*sections, headers[i]);
    const auto [our, theirs] =
        std::mismatch(ours.begin(), ours.end(), judged.begin(), judged.end());
    INFO("ours: " << (our == ours.end() ? "" : *our));
    INFO("libdwarf's: " << (theirs == judged.end() ? "" : *theirs));
    CHECK((our == ours.end() && theirs == judged.end()));
    seen += ours.size();
  }
  return seen;
}

struct Build {
  std::vector<std::string> command;
  std::vector<std::string> sources = {"dwarf_shapes.cc", "dwarf_outside.cc"};
};

const std::vector<Build>& builds() {
  static const std::vector<Build> all = {
      {{"g++", "-O2", "-g", "-gdwarf-5"}},
      {{"g++", "-O2", "-g", "-gdwarf-4"}},
      {{"g++", "-O2", "-g", "-gdwarf-3"}},
      {{"g++", "-O2", "-g", "-gdwarf-2", "-gstrict-dwarf"}},
      {{"g++", "-O2", "-g", "-gdwarf64"}},
      {{"g++", "-O2", "-g", "-fdebug-types-section"}},
      {{"g++", "-O2", "-g", "-flto"}},
      {{"clang++", "-O2", "-g", "-gdwarf-5"}},
      {{"clang++", "-O2", "-g", "-gdwarf-4"}},
      {{"clang++", "-O2", "-g", "-gdwarf-3"}},
      {{"clang++", "-O2", "-g", "-gdwarf-2"}},
      {{"gfortran", "-g", "-O2"}, {"dwarf_shapes.f90"}},
      {{"gdc", "-g", "-O2"}, {"dwarf_box.d"}},
      {{"rustc", "-g", "-O"}, {"dwarf_box.rs"}},
  };
  return all;
}

}  // namespace

TEST_CASE("the entries of programs are those that libdwarf reads") {
  const auto directory = fresh_directory("dwarf_entries");
  for (const auto& [command, sources] : builds()) {
    if (!have_programs({command.front()})) continue;
    INFO(command_text(command));
    const auto program = build_program(command, sources, directory);
    // Those of rustc contain its library.
    const std::size_t step = command.front() == "rustc" ? 4 : 1;
    CHECK(check_same_entries(program.string(), SectionSet::plain, step) > 50);
  }
}

TEST_CASE("the entries of split units are those that libdwarf reads") {
  const auto directory = fresh_directory("dwarf_split_entries");
  for (const std::string compiler : {"g++", "clang++"}) {
    if (!have_programs({compiler})) continue;
    for (const std::string version : {"-gdwarf-4", "-gdwarf-5"}) {
      INFO(compiler << " " << version);
      run_or_fail({compiler, "-std=c++17", "-O2", "-g", version, "-gsplit-dwarf", "-c",
                   program_source("dwarf_shapes.cc").string(), "-o", "dwarf_shapes.o"},
                  directory);
      const auto split = (directory / "dwarf_shapes.dwo").string();
      CHECK(check_same_entries(split, SectionSet::split) > 100);
    }
  }
}

TEST_CASE("the entries of this very program are those that libdwarf reads") {
  if (!have_own_debug_information()) return;
  CHECK(check_same_entries(own_program, SectionSet::plain, 50) > 1000);
}
