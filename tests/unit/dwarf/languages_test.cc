#include <catch2/catch.hpp>

#include "engine/dwarf/debug_information.h"
#include "tests/support/build_program.h"
#include "tests/support/process.h"
#include "tests/unit/dwarf/program_under_test.h"

using namespace gprof;
using namespace gprof::test;

namespace {

struct Expectation {
  const char* name;
  const char* source;
  const char* mark;
};

void check_functions(const DebugInformation& debug, const std::vector<Expectation>& expected) {
  const ProgramFunctions functions(debug);
  for (const auto& [name, source, mark] : expected) {
    const Subprogram function = functions.function(name);
    INFO(name);
    CHECK_FALSE(function.ranges.empty());
    CHECK(debug.path(function.declaration.file) == program_source(source).string());
    CHECK(function.declaration.line == marked_line(source, mark));
  }
}

bool has_language(const DebugInformation& debug, Language language) {
  for (const Unit& unit : debug.units()) {
    if (unit.language == language) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("Fortran: module procedures, the main program, contained and external procedures") {
  const auto directory = fresh_directory("dwarf_fortran");
  if (!have_programs({"gfortran"})) return;
  const auto debug =
      open_program(build_program({"gfortran", "-g", "-O0"}, {"dwarf_shapes.f90"}, directory));
  CHECK(has_language(*debug, Language::fortran));
  check_functions(*debug, {{"shapes::area", "dwarf_shapes.f90", "area"},
                           {"demo", "dwarf_shapes.f90", "demo"},
                           {"demo::twice", "dwarf_shapes.f90", "twice"},
                           {"plain", "dwarf_shapes.f90", "plain"}});
  CHECK(ProgramFunctions(*debug).function("shapes::area").linkage_name == "__shapes_MOD_area");
}

TEST_CASE("Ada: the packages that GNAT writes into names are shown with dots") {
  const auto directory = fresh_directory("dwarf_ada");
  if (!have_programs({"gnatmake"})) return;
  run_or_fail({"gnatmake", "-q", "-g", program_source("dwarf_main.adb").string(), "-o", "program"},
              directory);
  const auto debug = open_program(directory / "program");
  CHECK(has_language(*debug, Language::ada));
  check_functions(*debug, {{"dwarf_pack.twice", "dwarf_pack.adb", "twice"},
                           {"dwarf_pack.twice.nested", "dwarf_pack.adb", "nested"},
                           {"dwarf_pack.inner.thrice", "dwarf_pack.adb", "thrice"},
                           {"dwarf_main", "dwarf_main.adb", "main"}});
}

TEST_CASE("D: modules, methods, templates and nested functions") {
  const auto directory = fresh_directory("dwarf_d");
  if (!have_programs({"gdc"})) return;
  const auto debug = open_program(build_program({"gdc", "-g", "-O0"}, {"dwarf_box.d"}, directory));
  CHECK(has_language(*debug, Language::d));
  check_functions(*debug, {{"dwarf_box::Box::grow", "dwarf_box.d", "grow"},
                           {"dwarf_box::twice", "dwarf_box.d", "twice"},
                           {"main", "dwarf_box.d", "main"},
                           {"main::nested", "dwarf_box.d", "nested"}});
}

TEST_CASE("Rust: methods, trait implementations and inlined calls") {
  const auto directory = fresh_directory("dwarf_rust");
  if (!have_programs({"rustc"})) return;
  const auto debug =
      open_program(build_program({"rustc", "-g", "-O"}, {"dwarf_box.rs"}, directory));
  CHECK(has_language(*debug, Language::rust));
  check_functions(*debug, {{"dwarf_box::shapes::Box::grow", "dwarf_box.rs", "grow"},
                           {"dwarf_box::shapes::{impl#1}::area", "dwarf_box.rs", "area"},
                           {"dwarf_box::main", "dwarf_box.rs", "main"}});
  const auto calls = ProgramFunctions(*debug).calls_of("dwarf_box::quick");
  REQUIRE_FALSE(calls.empty());
  CHECK(calls.front().call_site.line == marked_line("dwarf_box.rs", "call of quick"));
}
