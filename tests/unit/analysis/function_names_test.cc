// Functions found by the names that tools write.
#include "engine/import/function_names.h"

#include <array>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/object/image.h"
#include "tests/support/build_program.h"
#include "tests/support/process.h"

using namespace gprof;
using namespace gprof::test;

TEST_CASE("demanglers' spellings of one name are one") {
  const std::vector<std::vector<std::string_view>> names = {
      {"long summed<long>(long)"},
      {"scaled(long, long) [clone .constprop.0]", "scaled(long, long) (.constprop.0)",
       "scaled(long, long) [.constprop.0]"},
      {"f() [clone .part.0] [clone .cold]", "f() (.part.0.cold)", "f() [.part.0.cold]"},
      {"foo.cold", "foo [clone .cold]"},
      {"made(std::vector<std::vector<int> > const&)", "made(std::vector<std::vector<int>> const&)"},
      {"main::{lambda(int)#1}::operator()(int) const",
       "main::'lambda'(int)::operator()(int) const"},
      {"g<main::{lambda(int (*)(long), int)#3}>(int)",
       "g<main::'lambda1'(int (*)(long), int)>(int)"},
      {"main::{unnamed type#2}::f()", "main::'unnamed0'::f()"},
      {"core::fmt::write", "core::fmt::write::h0123456789abcdef",
       "core[8787f43e282added]::fmt::write"},
      {"<T as core::fmt::Debug>::fmt", "_$LT$T$u20$as$u20$core..fmt..Debug$GT$::fmt",
       "_$LT$T$u20$as$u20$core..fmt..Debug$GT$::fmt::h0123456789abcdef"},
      {"slice<[u8; 3]>::len", "slice<[u8: 3]>::len"}};
  std::vector<std::string> spellings;
  for (const auto& same : names) {
    spellings.push_back(common_spelling(same.front()));
    for (const std::string_view name : same) {
      CAPTURE(name);
      CHECK(common_spelling(name) == spellings.back());
      CHECK(common_spelling(common_spelling(name)) == spellings.back());
    }
  }
  std::ranges::sort(spellings);
  CHECK(std::ranges::adjacent_find(spellings) == spellings.end());
}

TEST_CASE("names without types") {
  const std::vector<std::array<std::string_view, 2>> names = {
      {"long summed<long>(long)", "summed<long>"},
      {"void box<int>::grow(long) const [clone .cold]", "box<int>::grow"},
      {"std::vector<int, std::allocator<int> > a::made<int>(int&&) &&", "a::made<int>"},
      {"(anonymous namespace)::f(int)", "(anonymous namespace)::f"},
      {"int (anonymous namespace)::f<(anonymous namespace)::S>(int)",
       "(anonymous namespace)::f<(anonymous namespace)::S>"},
      {"main::{lambda(int, long)#1}::operator()(int, long) const",
       "main::{lambda(int, long)#1}::operator()"},
      {"S::operator unsigned long() const", "S::operator unsigned long"},
      {"bool operator< <int>(int, int)", "operator< <int>"},
      {"main", "main"},
      {"f()", "f"},
      {"(f)", "(f)"},
      {")", ")"},
      {"", ""}};
  for (const auto& [name, plain] : names) {
    CAPTURE(name);
    CHECK(without_types(name) == plain);
  }
}

TEST_CASE("functions are found by what GNU's and LLVM's demanglers make of their names") {
  if (!have_programs({"g++", "c++filt"})) return;
  const auto folder = fresh_directory("function-names");
  std::ofstream(folder / "names.cc")
      << "#include <functional>\n#include <string>\n#include <vector>\n"
         "namespace a { namespace { struct S { int v; template<class T> T get(T x) const {\n"
         "  return x + v; } operator unsigned long() const { return v; } }; }\n"
         "std::vector<std::vector<int>> made(std::vector<std::vector<int>> const& x) { return x; "
         "}\n"
         "template <class F> auto run(F f) -> decltype(f(1)) { return f(2); }\n"
         "template <bool B, int N> int cond(std::string const& s) { return B ? N : (int)s.size(); "
         "}\n"
         "}\n"
         "int main(int argc, char**) {\n"
         "  a::S s{argc}; auto l = [&](int x) { return x + argc; };\n"
         "  auto l2 = [](int x, long y) { return x + (int)y; };\n"
         "  std::function<int(int)> f = [=](int z) { return z * argc; };\n"
         "  return (int)a::made({{1}}).size() + a::run(l) + l2(3,4) + s.get(5) +\n"
         "         (int)(unsigned long)s + a::cond<true, 5>(\"x\") + f(3); }\n";
  run_or_fail({"g++", "-O0", "-g", "names.cc", "-o", "names"}, folder);
  const auto image = Image::open(folder / "names");
  REQUIRE(image);
  const auto symbols = SymbolTable::build(*image, nullptr, SymbolPolicy::full);
  REQUIRE(symbols);
  NamedFunctions functions(*symbols);
  std::vector<std::vector<std::string>> demanglers = {{"c++filt"}, {"c++filt", "-p"}};
  if (find_program("llvm-cxxfilt-14")) demanglers.push_back({"llvm-cxxfilt-14"});
  std::size_t asked = 0;
  for (const std::vector<std::string>& demangler : demanglers) {
    for (SymbolIndex i = 0; i < symbols->size(); ++i) {
      const std::string linkage((*symbols)[i].name);
      if (!linkage.starts_with("_Z")) continue;
      std::vector<std::string> command = demangler;
      command.push_back(linkage);
      std::string name = run_process(command, folder).out;
      name = name.substr(0, name.find('\n'));
      const auto& found = functions.find(name);
      CAPTURE(linkage, name);
      ++asked;
      // Without parameters, overloads share a name.
      CHECK(std::ranges::find(found, i) != found.end());
      if (demangler.size() == 1) CHECK(found.size() <= 2);
    }
  }
  CHECK(asked > 100);
  CHECK(functions.find("a::made").size() == 1);
  CHECK(functions.find("nothing<int>(int)").empty());
  CHECK(functions.find("").empty());
  CHECK(functions.find("int").empty());
}

TEST_CASE("a clone is found by its function's name if that has no code of its own") {
  if (!have_programs({"g++"})) return;
  const auto folder = fresh_directory("function-names-clones");
  std::ofstream(folder / "names.cc")
      << "__attribute__((noinline)) long scaled(long n, long by) "
         "asm(\"_ZL6scaledll.constprop.0\");\n"
         "long scaled(long n, long by) {\n"
         "  long s = 0;\n  for (long i = 0; i < n; i++) s += i * by;\n  return s;\n}\n"
         "int main(int argc, char**) { return (int)(scaled(argc, 7) + scaled(argc + 1, 7)); }\n";
  run_or_fail({"g++", "-O2", "-g", "names.cc", "-o", "names"}, folder);
  const auto image = Image::open(folder / "names");
  REQUIRE(image);
  const auto symbols = SymbolTable::build(*image, nullptr, SymbolPolicy::full);
  REQUIRE(symbols);
  const auto clone = symbols->find_by_name("_ZL6scaledll.constprop.0");
  REQUIRE(clone);
  NamedFunctions functions(*symbols);
  for (const char* name :
       {"_ZL6scaledll.constprop.0", "scaled(long, long) [clone .constprop.0]",
        "scaled(long, long) (.constprop.0)", "scaled(long, long)", "scaled [clone .constprop.0]"}) {
    CAPTURE(name);
    CHECK(functions.find(name) == std::vector<SymbolIndex>{*clone});
  }
}
