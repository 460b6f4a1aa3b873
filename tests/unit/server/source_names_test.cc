#include "server/text/source_names.h"

#include <catch2/catch.hpp>

#include "engine/object/demangle.h"

using gprof::demangle;
using namespace gprof::lsp;

namespace {

std::string written(std::string_view linkage_name) {
  return as_written(demangle(linkage_name).signature);
}

}  // namespace

TEST_CASE("names are written as their authors write them") {
  CHECK(written("_Z3putRSoSt17basic_string_viewIcSt11char_traitsIcEERKSt8functionIFiNSt7__cxx1112"
                "basic_stringIcS2_SaIcEEEEE") ==
        "put(std::ostream&, std::string_view, std::function<int (std::string)> const&)");
  CHECK(written("_Z5countINSt7__cxx1112basic_stringIwSt11char_traitsIwESaIwEEEEiRKT_") ==
        "count<std::wstring>(std::wstring const&)");
  CHECK(written("_Z5countISt10unique_ptrIiSt14default_deleteIiEEEiRKT_") ==
        "count<std::unique_ptr<int>>(std::unique_ptr<int> const&)");
  CHECK(
      written("_Z5countISt13unordered_mapIiNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt4"
              "hashIiESt8equal_toIiESaISt4pairIKiS6_EEEEiRKT_") ==
      "count<std::unordered_map<int, std::string>>(std::unordered_map<int, std::string> const&)");
  CHECK(written("_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt6vectorIiSaIiEESt4"
                "lessIS5_ESaISt4pairIKS5_S8_EEE4findERSC_") ==
        "std::map<std::string, std::vector<int>>::find(std::string const&)");
}

TEST_CASE("arguments that are not the default stay") {
  CHECK(
      written("_Z5countISt3setINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt7greaterIS6_E"
              "SaIS6_EEEiRKT_") ==
      "count<std::set<std::string, std::greater<std::string>>>(std::set<std::string, "
      "std::greater<std::string>> const&)");
  CHECK(as_written("std::vector<int, pool::allocator<int> >::at") ==
        "std::vector<int, pool::allocator<int>>::at");
  CHECK(as_written("my::vector<int, std::allocator<int> >::at") ==
        "my::vector<int, std::allocator<int>>::at");
}

TEST_CASE("operators, lambdas and broken names stay as they are") {
  for (const std::string_view name :
       {"main", "operator<", "ns::operator<< <int>(int)", "box<int>::operator->() const",
        "box<int>::operator()(int)", "main::{lambda(int)#1}::operator()(int) const",
        "(anonymous namespace)::run(std::vector<int>&)", "operator\"\" _km(unsigned long long)",
        "a > b", "f<g", "f<(g>", "std::__", "<b>bold</b> &amp;", "paren<(1)>", "f(int) [.part.0]",
        "core::ptr::drop_in_place<alloc::string::String>", "tagged[abi:v2]()", "f)", ","}) {
    CHECK(as_written(name) == name);
  }
}

TEST_CASE("deep and long names are read in bounded depth") {
  std::string name(100'000, '<');
  CHECK(as_written(name) == name);
  name = "f" + std::string(50'000, '(') + std::string(50'000, ')');
  CHECK(as_written(name + "<int>") == name + "<int>");
}

TEST_CASE("names of megabytes take linear time") {
  const auto repeated = [](std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  // Many scopes, and many arguments after a long one: minutes if each copied the others.
  CHECK(fitted_name(repeated("a::", 1'000'000) + "find", 10) == "…::a::find");
  const std::string value(1'000'000, 'x');
  CHECK(as_written("std::map<int, " + value + repeated(", std::less<int>", 200'000) + ">") ==
        "std::map<int, " + value + ">");
}

TEST_CASE("names are fitted from the inside, then from the outside") {
  const std::string name = "db::Map<std::string, std::vector<std::set<int>>>::find";
  CHECK(fitted_name(name, 60) == name);
  CHECK(fitted_name(name, 53) == "db::Map<std::string, std::vector<std::set<…>>>::find");
  CHECK(fitted_name(name, 50) == "db::Map<std::string, std::vector<…>>::find");
  CHECK(fitted_name(name, 30) == "db::Map<…>::find");
  CHECK(fitted_name(name, 15) == "…::Map<…>::find");
  CHECK(fitted_name(name, 14) == "…::find");
  CHECK(fitted_name(name, 1) == "…::find");
  CHECK(fitted_name("ns::box<int>::operator<", 21) == "ns::box<…>::operator<");
  CHECK(fitted_name("main", 2) == "main");
}

TEST_CASE("names of a list differ, the shortest that do") {
  CHECK(distinct_forms({{"f", "f(int)"}, {"g", "g()"}}) == std::vector<std::string>{"f", "g"});
  CHECK(distinct_forms({{"f", "f(int)"}, {"f", "f(long)"}, {"g", "g()"}}) ==
        std::vector<std::string>{"f(int)", "f(long)", "g"});
  // A longer form that is another's short one makes that one longer, too.
  CHECK(distinct_forms({{"f", "h"}, {"f", "i"}, {"h", "h (b.c:1)"}}) ==
        std::vector<std::string>{"h", "i", "h (b.c:1)"});
  CHECK(distinct_forms({{"f"}, {"f"}, {}}) == std::vector<std::string>{"f", "f", ""});
}
