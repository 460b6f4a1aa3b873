#include <catch2/catch.hpp>

#include "engine/dwarf/debug_information.h"
#include "tests/support/build_program.h"
#include "tests/support/process.h"
#include "tests/unit/dwarf/program_under_test.h"

using namespace gprof;
using namespace gprof::test;

namespace fs = std::filesystem;

namespace {

// Compiles in two steps: a split unit is where its object file was made.
fs::path build_split(const std::string& compiler, const std::string& version,
                     const fs::path& directory) {
  fs::create_directories(directory);
  for (const std::string name : {"dwarf_shapes", "dwarf_outside"}) {
    run_or_fail({compiler, "-std=c++17", "-O2", "-g", version, "-gsplit-dwarf", "-c",
                 program_source(name + ".cc").string(), "-o", name + ".o"},
                directory);
  }
  run_or_fail({compiler, "dwarf_shapes.o", "dwarf_outside.o", "-o", "program"}, directory);
  return directory / "program";
}

void check_split(const DebugInformation& debug) {
  const ProgramFunctions functions(debug);
  const Subprogram grow = functions.function("ns::Box::grow");
  CHECK_FALSE(grow.ranges.empty());
  CHECK(grow.linkage_name == "_ZN2ns3Box4growEi");
  CHECK(debug.path(grow.declaration.file) == program_source("dwarf_shapes.cc").string());
  CHECK(grow.declaration.line == marked_line("dwarf_shapes.cc", "definition of grow"));
  const Subprogram visit = functions.function("outside::visit");
  CHECK_FALSE(visit.ranges.empty());
  CHECK(visit.declaration.line == marked_line("dwarf_outside.cc", "visit"));
  REQUIRE_FALSE(functions.calls_of("helper").empty());
  CHECK(functions.inlined_at("helper").front() == "helper < outer_helper < main");
  CHECK(functions.calls_of("helper").front().call_site.line ==
        marked_line("dwarf_shapes.cc", "call of helper"));
  CHECK(debug.units()[*debug.unit_at(visit.entry)].split_file == "dwarf_outside.dwo");
  CHECK_FALSE(debug.rows(*debug.unit_at(visit.entry))->empty());
  CHECK(debug.warnings().empty());
}

}  // namespace

TEST_CASE("split units are found where they were made, beside the program, and in packages") {
  const auto directory = fresh_directory("dwarf_split");
  for (const std::string compiler : {"g++", "clang++"}) {
    if (!have_programs({compiler})) continue;
    for (const std::string version : {"-gdwarf-4", "-gdwarf-5"}) {
      INFO(compiler << " " << version);
      const fs::path made = directory / (compiler + version);
      const fs::path program = build_split(compiler, version, made);
      check_split(*open_program(program));

      const fs::path moved = directory / (compiler + version + "-moved");
      fs::rename(made, moved);
      check_split(*open_program(moved / "program"));

      // GNU dwp 2.40 does not support DWARF 5.
      const std::string packager = version == "-gdwarf-4" ? "dwp" : "llvm-dwp";
      if (!have_programs({packager})) continue;
      run_or_fail({packager, "dwarf_shapes.dwo", "dwarf_outside.dwo", "-o", "program.dwp"}, moved);
      fs::remove(moved / "dwarf_shapes.dwo");
      fs::remove(moved / "dwarf_outside.dwo");
      check_split(*open_program(moved / "program"));
    }
  }
}

TEST_CASE("split units that are missing are told once, with their number and what to do") {
  const auto directory = fresh_directory("dwarf_split_missing");
  if (!have_programs({"g++"})) return;
  const fs::path program = build_split("g++", "-gdwarf-5", directory);
  fs::remove(directory / "dwarf_shapes.dwo");
  fs::remove(directory / "dwarf_outside.dwo");
  const auto debug = open_program(program);
  for (int round = 0; round < 2; ++round) {
    for (UnitIndex unit = 0; unit < debug->units().size(); ++unit) {
      const auto functions = debug->functions(unit);
      REQUIRE(functions);
      CHECK(functions->subprograms.empty());
      CHECK_FALSE(debug->rows(unit)->empty());
    }
  }
  const Warnings warnings = debug->warnings();
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().code == ErrorCode::not_found);
  CHECK_THAT(warnings.front().message,
             Catch::StartsWith("2 units keep their functions in .dwo files that were not found "
                               "(first: dwarf_shapes.dwo)"));
  CHECK_THAT(warnings.front().message, Catch::Contains("-gno-split-dwarf"));
}

TEST_CASE("a split unit of another build is refused") {
  const auto directory = fresh_directory("dwarf_split_stale");
  if (!have_programs({"g++"})) return;
  for (const std::string version : {"-gdwarf-4", "-gdwarf-5"}) {
    const fs::path program = build_split("g++", version, directory / version);
    fs::copy_file(directory / version / "dwarf_outside.dwo",
                  directory / version / "dwarf_shapes.dwo", fs::copy_options::overwrite_existing);
    const auto debug = open_program(program);
    const auto functions = debug->functions(0);
    REQUIRE(functions);
    CHECK(functions->subprograms.empty());
    const Warnings warnings = debug->warnings();
    REQUIRE(warnings.size() == 1);
    CHECK(warnings.front().code == ErrorCode::mismatch);
    CHECK_THAT(warnings.front().message, Catch::Contains("of another build"));
  }
}
