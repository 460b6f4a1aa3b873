// SymbolPolicy::gnu compared with the installed gprof, which names the symbols it keeps if asked
// for all execution counts.
#include <algorithm>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>

#include "engine/object/symbol_table.h"
#include "tests/support/build_program.h"
#include "tests/support/files.h"
#include "tests/support/gnu_gprof.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;

namespace {

using Names = std::vector<std::string>;  // "name:0xaddress", sorted

// The lines are `FILE:LINE: (NAME:0xADDRESS) 0 executions`.
Names judged(const std::filesystem::path& program, Names options) {
  options.emplace_back("-C");
  Names names;
  std::istringstream lines(gprof_of_nothing(program, options));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t open = line.find(": (");
    const std::size_t close = line.rfind(") ");
    if (open == std::string::npos || close == std::string::npos) continue;
    names.push_back(line.substr(open + 3, close - open - 3));
  }
  std::ranges::sort(names);
  return names;
}

Names kept(const std::filesystem::path& program, const GnuSymbolOptions& options) {
  const auto image = Image::open(program);
  REQUIRE(image);
  const auto table = SymbolTable::build(*image, nullptr, SymbolPolicy::gnu, options);
  if (!table) FAIL(describe(table.error()));
  Names names;
  for (const Symbol& symbol : table->symbols()) {
    char address[32];
    std::snprintf(address, sizeof address, ":0x%llx",
                  static_cast<unsigned long long>(symbol.address.value));
    names.push_back(std::string(symbol.name) + address);
  }
  for (SymbolIndex i = 0; i + 1 < table->size(); ++i) {
    CHECK((*table)[i].end == (*table)[i + 1].address);
  }
  std::ranges::sort(names);
  return names;
}

void check_against_judge(const std::filesystem::path& program) {
  for (const bool ignore_static : {false, true}) {
    for (const bool ignore_non_functions : {false, true}) {
      Names options;
      if (ignore_static) options.push_back("-a");
      if (ignore_non_functions) options.push_back("-D");
      const Names expected = judged(program, options);
      CHECK(expected.size() > 5);
      CHECK(kept(program, {ignore_static, ignore_non_functions}) == expected);
    }
  }
}

// Builds with the options and compares.
void check_build(const std::string& name, const Names& command) {
  INFO(name);
  const auto directory = fresh_directory("gnu_symbols_" + name);
  Names whole = command;
  whole.insert(whole.end(), {"-o", "program"});
  run_or_fail(whole, directory);
  check_against_judge(directory / "program");
}

}  // namespace

TEST_CASE("GNU gprof's symbols: odd names, sections and kinds") {
  if (!have_programs({"gcc", "gprof"})) return;
  check_build("odd", {"gcc", "-pg", "-DUNIT=other", "-DMAIN", program_source("object_nested.c"),
                      program_source("object_odd_names.s")});
}

TEST_CASE("GNU gprof's symbols: C++ with clones") {
  if (!have_programs({"g++", "gprof"})) return;
  const std::string source = program_source("object_shapes.cc");
  check_build("O0", {"g++", "-pg", "-O0", source});
  check_build("O2", {"g++", "-pg", "-g", "-O2", source});
  check_build("O3_lto", {"g++", "-pg", "-O3", "-flto", source});
  check_build("no_pie", {"g++", "-pg", "-O2", "-no-pie", source});
  check_build("static", {"g++", "-pg", "-O2", "-static", source});
}

TEST_CASE("GNU gprof's symbols: one local name in two files, nested functions, LTO") {
  if (!have_programs({"gcc", "gprof"})) return;
  for (const Names& options : {Names{"-O0"}, Names{"-O2"}, Names{"-O2", "-flto"}}) {
    const auto directory = fresh_directory("gnu_symbols_units");
    const std::string source = program_source("object_nested.c");
    Names compile = {"gcc", "-pg", "-c", source};
    compile.insert(compile.end(), options.begin(), options.end());
    Names first = compile;
    first.insert(first.end(), {"-DUNIT=first", "-DMAIN", "-o", "first.o"});
    Names second = compile;
    second.insert(second.end(), {"-DUNIT=other", "-o", "second.o"});
    run_or_fail(first, directory);
    run_or_fail(second, directory);
    Names link = {"gcc", "-pg", "first.o", "second.o", "-o", "program"};
    link.insert(link.end(), options.begin(), options.end());
    run_or_fail(link, directory);
    check_against_judge(directory / "program");
  }
}

TEST_CASE("GNU gprof's symbols: clang") {
  if (!have_programs({"clang++", "gprof"})) return;
  check_build("clang", {"clang++", "-pg", "-O2", program_source("object_shapes.cc")});
}

TEST_CASE("GNU gprof's last symbol ends with .text") {
  if (!have_programs({"gcc"})) return;
  const auto directory = fresh_directory("gnu_symbols_end");
  run_or_fail({"gcc", "-DUNIT=other", "-O2", "-shared", "-nostdlib", "-fPIC",
               program_source("object_nested.c"), "-o", "l.so"},
              directory);
  const auto image = Image::open(directory / "l.so");
  REQUIRE(image);
  const auto table = SymbolTable::build(*image, nullptr, SymbolPolicy::gnu);
  REQUIRE(table);
  CHECK((*table)[static_cast<SymbolIndex>(table->size() - 1)].end ==
        (*image)->find_section(".text")->range().high);
}
