// Functions, lines and external lists compared with the installed gprof, which names every symbol
// with its location if asked for all execution counts.
#include <algorithm>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "engine/object/clone_suffix.h"
#include "engine/symbols/external_symbols.h"
#include "engine/symbols/function_symbols.h"
#include "engine/symbols/line_symbols.h"
#include "tests/support/build_program.h"
#include "tests/support/files.h"
#include "tests/support/gnu_gprof.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;

namespace {

using Strings = std::vector<std::string>;

void write(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  write_file(path, text);
}

// "FILE:LINE: (NAME:0xADDRESS)" of each symbol, sorted.
Strings judged(const std::filesystem::path& program, Strings options) {
  options.insert(options.end(), {"-L", "-C"});
  Strings result;
  std::istringstream lines(gprof_of_nothing(program, options));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t end = line.rfind(") ");
    if (end != std::string::npos) result.push_back(line.substr(0, end + 1));
  }
  std::ranges::sort(result);
  return result;
}

// The files of the annotated source, newest first.
Strings judged_files(const std::filesystem::path& program, Strings options) {
  options.insert(options.end(), {"-L", "-A"});
  constexpr std::string_view mark = "*** File ";
  Strings result;
  std::istringstream lines(gprof_of_nothing(program, options));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(mark)) {
      result.push_back(line.substr(mark.size(), line.size() - mark.size() - 1));
    }
  }
  return result;
}

Strings listed(const SourceSymbolTable& table) {
  Strings result;
  for (const SourceSymbol& symbol : table.symbols()) {
    const std::string_view path =
        symbol.file == no_source_file ? "<unknown>" : table.path(symbol.file);
    result.push_back(
        fmt::format("{}:{}: ({}:{:#x})", path, symbol.line, symbol.name, symbol.address.value));
  }
  std::ranges::sort(result);
  return result;
}

SourceSymbolTable symbols_of(const std::filesystem::path& program, bool by_line,
                             const GnuSymbolOptions& options = {}) {
  const auto image = Image::open(program);
  REQUIRE(image);
  const auto debug = DebugInformation::open(*image, program);
  const DebugInformation* information = debug ? debug->get() : nullptr;
  const auto functions = SymbolTable::build(*image, nullptr, SymbolPolicy::gnu, options);
  REQUIRE(functions);
  return SourceSymbolTable(by_line
                               ? line_symbols(*functions, information, FunctionNaming::gnu)
                               : function_symbols(*functions, information, EntryLocations::all));
}

void check_against_gprof(const std::filesystem::path& program) {
  for (const bool by_line : {false, true}) {
    for (const std::string option : {"-z", "-a", "-D"}) {
      Strings options = {option};
      if (by_line) options.emplace_back("-l");
      const auto table = symbols_of(program, by_line, {option == "-a", option == "-D"});
      CAPTURE(program, option, by_line);
      CHECK(listed(table) == judged(program, options));
      Strings files(table.files().begin(), table.files().end());
      std::ranges::reverse(files);
      std::erase_if(files, [](const auto& file) { return !std::filesystem::exists(file); });
      CHECK(files == judged_files(program, options));
    }
  }
}

// Reading only the locations of static functions gives the same ones.
void check_static_locations(const std::filesystem::path& program) {
  const auto image = Image::open(program);
  REQUIRE(image);
  const auto debug = DebugInformation::open(*image, program);
  REQUIRE(debug);
  const auto functions = SymbolTable::build(*image, nullptr, SymbolPolicy::gnu);
  REQUIRE(functions);
  const auto located = [&](EntryLocations locations) {
    return SourceSymbolTable(function_symbols(*functions, debug->get(), locations));
  };
  const SourceSymbolTable expected = located(EntryLocations::all);
  const SourceSymbolTable table = located(EntryLocations::of_static_functions);
  REQUIRE(table.size() == expected.size());
  for (SymbolIndex i = 0; i < table.size(); ++i) {
    CHECK(table[i].name == expected[i].name);
    if (!table[i].is_static) continue;
    CHECK(table.path(table[i].file) == expected.path(expected[i].file));
    CHECK(table[i].line == expected[i].line);
  }
}

constexpr std::string_view inlined_header = R"(static inline int mix(int a, int b) {
  int r = a;
  for (int i = 0; i < b; i++) {
    r = r * 31 + i;
    if (r & 1) r ^= b;
  }
  return r;
}
)";

constexpr std::string_view main_source = R"(int before = 1;
#include "sub/../sub/mix.h"
int named(int) __asm__("other_name");
int named(int x) { return x * mix(x, 7); }
int aliased(int x) { return mix(x, 3) + 1; }
int alias1(int) __attribute__((alias("aliased")));
int _alias0(int) __attribute__((weak, alias("aliased")));
__attribute__((section(".mytext"))) int elsewhere(int x) { return mix(x, x); }
static int __attribute__((noinline)) helper(int x, int unused) { return x < 2 ? x : helper(x - 1, unused); }
int assembled(int);
#line 500 "generated.y"
int main(int c, char** v) {
  (void)v;
  return named(c) + aliased(c) + elsewhere(c) + assembled(c)
#line 20 "main.c"
    + helper(c, 2);
}
)";

constexpr std::string_view assembler_source = R"( .text
 .globl assembled
 .type assembled,@function
assembled:
 mov %edi,%eax
_inner:
 add $1,%eax
inner:
 nop
 ret
 .size assembled,.-assembled
label:
 nop
 ret
_z:
__z:
z:
 nop
 ret
)";

void write_sources(const std::filesystem::path& directory) {
  write(directory / "sub/mix.h", inlined_header);
  write(directory / "main.c", main_source);
  write(directory / "code.s", assembler_source);
}

}  // namespace

TEST_CASE("symbols of programs: functions and lines of C and assembler are gprof's") {
  if (!have_programs({"gcc", "gprof"})) return;
  const auto directory = fresh_directory("symbols of C programs");
  write_sources(directory);
  for (const std::string version : {"2", "3", "4"}) {
    for (const std::string level : {"-O0", "-O2"}) {
      const std::string name = "c" + version + level;
      run_or_fail({"gcc", "-g", "-gdwarf-" + version, level, "./main.c", "code.s", "-o", name},
                  directory);
      check_against_gprof(directory / name);
      check_static_locations(directory / name);
    }
  }
  run_or_fail({"gcc", "-O2", "main.c", "code.s", "-o", "plain"}, directory);
  check_against_gprof(directory / "plain");
}

TEST_CASE("symbols of programs: functions and lines of C++ templates are gprof's") {
  if (!have_programs({"g++", "gprof"})) return;
  const auto directory = fresh_directory("symbols of C++ programs");
  write(directory / "box.h", R"(#pragma once
template <class T> struct Box { T v; __attribute__((noinline)) T get(int k) { return v * k; } };
template <class F> int apply(F f, int n) { return f(n) + f(n + 1); }
)");
  write(directory / "one.cc", R"(#include "box.h"
namespace { int hidden(int x) { return x * x + 1; } }
static int local(int x) { return hidden(x) + 2; }
extern "C" int exported(int x) { return local(x); }
int two(int);
int main(int c, char**) {
  Box<int> box{c};
  return box.get(2) + apply([&](int i) { return i * c; }, 3) + exported(c) + two(c);
}
)");
  write(directory / "two.cc", R"(#include "box.h"
int two(int x) {
  Box<int> box{x};
  return box.get(3) + apply([](int i) { return i + 1; }, x);
}
)");
  run_or_fail({"g++", "-g", "-gdwarf-4", "-O0", "one.cc", "two.cc", "-o", "program"}, directory);
  check_against_gprof(directory / "program");
  check_static_locations(directory / "program");
}

TEST_CASE("symbols of programs: the first file of a DWARF 5 unit is the file of its code") {
  if (!have_programs({"gcc"})) return;
  const auto directory = fresh_directory("symbols of DWARF 5");
  write_sources(directory);
  run_or_fail({"gcc", "-g", "-gdwarf-5", "-O0", "main.c", "code.s", "-o", "program"}, directory);
  const auto table = symbols_of(directory / "program", false);
  const auto mix = std::ranges::find(table.symbols(), NameView("mix"), &SourceSymbol::name);
  REQUIRE(mix != table.symbols().end());
  CHECK(table.base_name(mix->file) == "mix.h");
  CHECK(mix->line == 1);
}

TEST_CASE("symbols of programs: all functions keep their clones") {
  if (!have_programs({"gcc"})) return;
  const auto directory = fresh_directory("symbols of clones");
  write_sources(directory);
  run_or_fail({"gcc", "-g", "-O2", "main.c", "code.s", "-o", "program"}, directory);
  const auto image = Image::open(directory / "program");
  REQUIRE(image);
  const auto debug = DebugInformation::open(*image, directory / "program");
  REQUIRE(debug);
  const auto functions = SymbolTable::build(*image, nullptr, SymbolPolicy::full);
  REQUIRE(functions);
  const SourceSymbolTable table(function_symbols(*functions, debug->get(), EntryLocations::all));
  const auto is_clone = [](const SourceSymbol& symbol) {
    return split_clone_name(symbol.name).kind == CloneKind::specialised &&
           symbol.name.view().starts_with("helper.");
  };
  const auto clone = std::ranges::find_if(table.symbols(), is_clone);
  REQUIRE(clone != table.symbols().end());
  CHECK(table.base_name(clone->file) == "main.c");
  CHECK(clone->line == 9);
  CHECK(clone->is_function);
  CHECK(clone->is_static);
  const SourceSymbolTable lines(line_symbols(*functions, debug->get(), FunctionNaming::all));
  CHECK(lines.size() > table.size());
}

TEST_CASE("external symbols: read as gprof reads them") {
  if (!have_programs({"gcc", "gprof"})) return;
  const auto directory = fresh_directory("external symbols");
  write_sources(directory);
  run_or_fail({"gcc", "main.c", "code.s", "-o", "program"}, directory);
  const auto image = Image::open(directory / "program");
  REQUIRE(image);
  const Strings lists = {
      "0000000000001129 t low\n116e T main\n11b8 T high\n",
      "116e t static_one\n116e T main\n116e T later\n",
      "1130 T __a\n1130 T _a\n1130 T a\n1130 T b\n",
      "main.o:\n\n         U puts\n1129 D data\n1129 TX\n1129 T name extra words\r\n11b8\tT\t_x",
      "0x1129 Tattached\n-5 T negative\nfffffffffffffffff T huge\n1129g T cut\n",
      "1129 T " + std::string(1200, 'n') + "\n11b8 T x\n",
      "1129 T " + std::string(longest_symbol_line - 7, 'n') + " 11c0 T in_the_rest\n",
      "1129 T before\n11" + std::string(1, '\0') + "30 T after_a_zero\n"};
  for (const std::string& list : lists) {
    write(directory / "list", list);
    auto parts = external_symbols(directory / "list", **image);
    CAPTURE(list);
    REQUIRE(parts);
    CHECK(listed(SourceSymbolTable(std::move(*parts))) ==
          judged(directory / "program", {"-S", "list"}));
  }
}

TEST_CASE("external symbols: flags, ends and errors") {
  if (!have_programs({"gcc"})) return;
  const auto directory = fresh_directory("external symbols' errors");
  write_sources(directory);
  run_or_fail({"gcc", "main.c", "code.s", "-o", "program"}, directory);
  const auto image = Image::open(directory / "program");
  REQUIRE(image);
  const auto read = [&](std::string_view list) {
    write(directory / "list", list);
    return external_symbols(directory / "list", **image);
  };
  const auto parts = read("1129 t low\n116e T main\n");
  REQUIRE(parts);
  REQUIRE(parts->symbols.size() == 2);
  CHECK(parts->symbols[0].is_static);
  CHECK(parts->symbols[0].is_function);
  CHECK(parts->symbols[0].end == Address{0x116e});
  CHECK(!parts->symbols[1].is_static);
  CHECK(parts->symbols[1].end == (*image)->find_section(".text")->range().high);

  for (const std::string_view empty : {"", "\n\n", "1129 D data\n", "one more\n"}) {
    const auto none = read(empty);
    REQUIRE(!none);
    CHECK(none.error().code == ErrorCode::no_symbols);
  }
  const auto wrong = read("1129 T low\nxyz T main\n");
  REQUIRE(!wrong);
  CHECK(wrong.error().code == ErrorCode::corrupt);
  CHECK_THAT(wrong.error().message, Catch::StartsWith("line 2: "));
  const auto missing = external_symbols(directory / "missing", **image);
  REQUIRE(!missing);
  CHECK(missing.error().code == ErrorCode::not_found);
}
