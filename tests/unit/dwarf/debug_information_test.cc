#include "engine/dwarf/debug_information.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/support/build_program.h"
#include "tests/support/process.h"
#include "tests/unit/dwarf/program_under_test.h"

using namespace gprof;
using namespace gprof::test;

namespace {

const std::vector<std::string> sources = {"dwarf_shapes.cc", "dwarf_outside.cc"};

// Checks what holds for dwarf_shapes.cc and dwarf_outside.cc from any compiler with -O2.
void check_shapes(const DebugInformation& debug) {
  const ProgramFunctions functions(debug);
  const auto declared_at = [&](const std::string& name, const std::string& mark,
                               const std::string& source = "dwarf_shapes.cc") {
    Subprogram function = functions.function(name);
    INFO(name);
    CHECK(debug.path(function.declaration.file) == program_source(source).string());
    CHECK(function.declaration.line == marked_line(source, mark));
    return function;
  };
  const Subprogram main = declared_at("main", "main");
  REQUIRE_FALSE(main.ranges.empty());
  CHECK(std::any_of(main.ranges.begin(), main.ranges.end(),
                    [&](const AddressRange& range) { return range.contains(main.entry); }));
  const Subprogram grow = declared_at("ns::Box::grow", "definition of grow");
  CHECK(grow.linkage_name == "_ZN2ns3Box4growEi");
  CHECK_FALSE(grow.ranges.empty());
  CHECK(declared_at("ns::Box::inside", "inside").ranges.empty());
  CHECK_FALSE(declared_at("ns::twice<int>", "twice").ranges.empty());
  CHECK_FALSE(declared_at("ns::(anonymous namespace)::hidden", "hidden").ranges.empty());
  CHECK_FALSE(declared_at("main()::Local::run", "run").ranges.empty());
  declared_at("main()::{lambda}", "lambda");
  declared_at("outside::visit", "visit", "dwarf_outside.cc");
  CHECK_FALSE(functions.has("ns::Box::make"));  // neither code nor inlined

  const auto inlined = functions.inlined_at("helper");
  CHECK(std::count(inlined.begin(), inlined.end(), "helper < outer_helper < main") > 0);
  const auto called_at = [&](const std::string& callee, const std::string& source) {
    for (const InlinedCall& call : functions.calls_of(callee)) {
      INFO(callee);
      CHECK_FALSE(call.ranges.empty());
      CHECK(debug.path(call.call_site.file) == program_source(source).string());
      CHECK(call.call_site.line == marked_line(source, "call of " + callee));
      CHECK(call.call_site.column > 0);
    }
    CHECK_FALSE(functions.calls_of(callee).empty());
  };
  called_at("helper", "dwarf_shapes.cc");
  called_at("outer_helper", "dwarf_shapes.cc");
}

void check_rows(const DebugInformation& debug) {
  const std::string path = program_source("dwarf_outside.cc").string();
  const auto file = debug.find_file(path);
  REQUIRE(file);
  CHECK(debug.path(*file) == path);
  const std::vector<UnitIndex> holders = debug.units_of_file(*file);
  REQUIRE(holders.size() == 1);
  const ProgramFunctions functions(debug);
  const Subprogram visit = functions.function("outside::visit");
  CHECK(debug.unit_at(visit.entry) == holders.front());
  CHECK_FALSE(debug.unit_at(Address{1}));
  const auto rows = debug.rows(holders.front());
  REQUIRE(rows);
  REQUIRE_FALSE(rows->empty());
  const auto first = std::find_if(rows->begin(), rows->end(), [&](const LineRow& row) {
    return row.address == visit.entry && row.is_statement;
  });
  REQUIRE(first != rows->end());
  CHECK(first->file == *file);
  // clang 19 has no row for the function itself where it begins with what was inlined.
  const auto steps = functions.calls_of("outside::step");
  const bool begins_with_step = std::ranges::any_of(steps, [&](const InlinedCall& call) {
    return std::ranges::any_of(
        call.ranges, [&](const AddressRange& range) { return range.contains(visit.entry); });
  });
  if (!begins_with_step || first->line != marked_line("dwarf_outside.cc", "step")) {
    CHECK(first->line == marked_line("dwarf_outside.cc", "visit"));
  }
  CHECK(rows->back().end_of_sequence);
  const auto files = debug.files(holders.front());
  CHECK(std::count(files.begin(), files.end(), *file) == 1);
}

}  // namespace

TEST_CASE("functions, inlined calls and rows of GCC and Clang in DWARF 2 to 5") {
  const auto directory = fresh_directory("dwarf_versions");
  for (const std::string compiler : {"g++", "clang++"}) {
    if (!have_programs({compiler})) continue;
    for (const std::string version : {"-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5"}) {
      INFO(compiler << " " << version);
      const auto debug = open_program(
          build_program({compiler, "-std=c++17", "-O2", "-g", version}, sources, directory));
      CHECK(debug->warnings().empty());
      check_shapes(*debug);
      check_rows(*debug);
      const Unit& unit = debug->units().front();
      CHECK(unit.language == Language::cpp);
      CHECK(unit.name == program_source("dwarf_shapes.cc").string());
      CHECK(unit.compilation_directory == directory.string());
      CHECK_FALSE(unit.producer.empty());
      CHECK_FALSE(unit.ranges.empty());
      CHECK(unit.has_lines);
    }
  }
}

TEST_CASE("debug information in the forms that build options and tools give it") {
  const auto directory = fresh_directory("dwarf_forms");
  if (!have_programs({"g++"})) return;
  const std::vector<std::vector<std::string>> options = {
      {"-flto"},
      {"-gdwarf64"},
      {"-gz=zlib"},
      {"-fdebug-types-section", "-gdwarf-4"},
      {"-fdebug-types-section", "-gdwarf-5"},
      {"-no-pie"},
  };
  for (const auto& extra : options) {
    std::vector<std::string> command = {"g++", "-std=c++17", "-O2", "-g"};
    command.insert(command.end(), extra.begin(), extra.end());
    INFO(extra.front());
    const auto debug = open_program(build_program(command, sources, directory));
    CHECK(debug->warnings().empty());
    if (extra.front() == "-flto") {
      // Everything is inlined into main; the functions' own units have no code left.
      CHECK(ProgramFunctions(*debug).inlined_at("outside::visit").size() == 1);
      CHECK(ProgramFunctions(*debug).inlined_at("helper").size() == 1);
    } else {
      check_shapes(*debug);
      check_rows(*debug);
    }
  }
}

TEST_CASE("functions that the linker threw away have no code") {
  const auto directory = fresh_directory("dwarf_gc_sections");
  if (!have_programs({"g++"})) return;
  const auto debug = open_program(
      build_program({"g++", "-O1", "-g", "-ffunction-sections", "-Wl,--gc-sections"},
                    {"dwarf_small.cc", "dwarf_outside.cc", "dwarf_unused.cc"}, directory));
  const ProgramFunctions functions(*debug);
  CHECK_FALSE(functions.function("outside::visit").ranges.empty());
  CHECK_FALSE(functions.has("never_called"));
  const auto file = debug->find_file(program_source("dwarf_unused.cc").string());
  REQUIRE(file);
  REQUIRE(debug->units_of_file(*file).size() == 1);
  const UnitIndex unit = debug->units_of_file(*file).front();
  CHECK(debug->units()[unit].ranges.empty());
  REQUIRE(debug->rows(unit));
  CHECK(debug->rows(unit)->empty());
}

TEST_CASE("programs for processors of either byte order and address size") {
  const auto directory = fresh_directory("dwarf_foreign");
  if (!have_programs({"clang++", "ld.lld"})) return;
  for (const std::string target : {"powerpc64-unknown-linux-gnu", "mips-unknown-linux-gnu",
                                   "i386-unknown-linux-gnu", "aarch64-unknown-linux-gnu"}) {
    for (const std::string version : {"-gdwarf-4", "-gdwarf-5"}) {
      INFO(target << " " << version);
      const auto debug = open_program(
          build_program({"clang++", "--target=" + target, "-O2", "-g", version, "-ffreestanding",
                         "-nostdlib", "-fuse-ld=lld", "-Wl,-e,_ZN7outside5visitEi"},
                        {"dwarf_outside.cc"}, directory));
      CHECK(debug->warnings().empty());
      check_rows(*debug);
      const auto calls = ProgramFunctions(*debug).calls_of("outside::step");
      REQUIRE(calls.size() == 1);
      CHECK(calls.front().call_site.line == marked_line("dwarf_outside.cc", "call of step"));
    }
  }
}

TEST_CASE("a debug file that holds the sections alone") {
  const auto directory = fresh_directory("dwarf_debug_file");
  if (!have_programs({"g++", "objcopy"})) return;
  (void)build_program({"g++", "-std=c++17", "-O2", "-g"}, sources, directory);
  run_or_fail({"objcopy", "--only-keep-debug", "program", "program.debug"}, directory);
  const auto debug = open_program(directory / "program.debug");
  check_shapes(*debug);
  check_rows(*debug);
}

TEST_CASE("pieces that dwz shares between units are found, and are no units") {
  const auto directory = fresh_directory("dwarf_dwz");
  if (!have_programs({"g++", "dwz"})) return;
  const auto program = build_program({"g++", "-std=c++17", "-O2", "-g"},
                                     {"dwarf_shapes.cc", "dwarf_outside.cc"}, directory);
  const std::size_t units_before = open_program(program)->units().size();
  run_or_fail({"dwz", "program"}, directory);
  const auto debug = open_program(program);
  CHECK(debug->units().size() == units_before);
  check_shapes(*debug);
  check_rows(*debug);
}

TEST_CASE("what dwz put into another file is named as missing") {
  const auto directory = fresh_directory("dwarf_dwz_multifile");
  if (!have_programs({"g++", "dwz"})) return;
  const auto program = build_program({"g++", "-std=c++17", "-O2", "-g"}, sources, directory);
  std::filesystem::copy_file(program, directory / "second");
  run_or_fail({"dwz", "-m", "common.dwz", "program", "second"}, directory);
  const Warnings warnings = open_program(program)->warnings();
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings.front().message, Catch::Contains("supplementary file"));
}

TEST_CASE("a program without debug information says what to do") {
  const auto directory = fresh_directory("dwarf_none");
  if (!have_programs({"g++", "strip"})) return;
  const auto program =
      build_program({"g++", "-g"}, {"dwarf_small.cc", "dwarf_outside.cc"}, directory);
  run_or_fail({"strip", "-g", "program"}, directory);
  const auto image = Image::open(program);
  REQUIRE(image);
  const auto debug = DebugInformation::open(*image, program.string());
  REQUIRE_FALSE(debug);
  CHECK(debug.error().code == ErrorCode::no_debug_information);
  CHECK_THAT(debug.error().message, Catch::Contains("-g"));
}

TEST_CASE("an object file that is not linked is refused") {
  const auto directory = fresh_directory("dwarf_object_file");
  if (!have_programs({"g++"})) return;
  const auto object = build_program({"g++", "-g", "-c"}, {"dwarf_outside.cc"}, directory);
  const auto image = Image::open(object);
  REQUIRE(image);
  const auto debug = DebugInformation::open(*image, object.string());
  REQUIRE_FALSE(debug);
  CHECK(debug.error().code == ErrorCode::unsupported);
}

TEST_CASE("a mapped prefix leaves paths relative") {
  const auto directory = fresh_directory("dwarf_prefix_map");
  if (!have_programs({"g++"})) return;
  const std::string map = "-fdebug-prefix-map=" + program_source("x").parent_path().string() + "=.";
  const auto debug = open_program(build_program(
      {"g++", "-g", map, "-fdebug-prefix-map=" + directory.string() + "=."}, sources, directory));
  CHECK(debug->find_file("dwarf_outside.cc"));
  CHECK(debug->units().front().compilation_directory == ".");
}

TEST_CASE("units that do not exist are an error and have no files") {
  const auto directory = fresh_directory("dwarf_no_unit");
  if (!have_programs({"g++"})) return;
  const auto debug = open_program(build_program({"g++", "-g"}, sources, directory));
  CHECK(debug->rows(99).error().code == ErrorCode::invalid_argument);
  CHECK(debug->functions(99).error().code == ErrorCode::invalid_argument);
  CHECK(debug->files(99).empty());
  CHECK(debug->units_of_file(no_file).empty());
  CHECK(debug->units_of_file(1u << 30).empty());
  CHECK(debug->path(no_file).empty());
  CHECK_FALSE(debug->find_file("/no/such/file"));
}
