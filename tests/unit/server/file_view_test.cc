#include "server/features/file_view.h"

#include <catch2/catch.hpp>

using namespace gprof::lsp;

TEST_CASE("the last component of a qualified name") {
  CHECK(last_component("main") == "main");
  CHECK(last_component("ns::box<int>::grow") == "grow");
  CHECK(last_component("ns::twice<std::pair<int, long> >") == "twice");
  CHECK(last_component("ns::box::~box") == "~box");
  CHECK(last_component("ns::functor::operator()") == "operator()");
  CHECK(last_component("operator<<") == "operator<<");
  CHECK(last_component("(anonymous namespace)::run") == "run");
  CHECK(last_component("pack.inner") == "inner");
  CHECK(last_component("scaled [.constprop.0]") == "scaled");
  CHECK(last_component("").empty());
}

TEST_CASE("short names keep one scope and no template arguments") {
  CHECK(short_name("init_block") == "init_block");
  CHECK(short_name("geo::Square::area") == "Square::area");
  CHECK(short_name("std::vector<int, std::allocator<int> >::push_back") == "vector::push_back");
  CHECK(short_name("ns::twice<long>") == "ns::twice");
  CHECK(short_name("ns::scaled [.constprop.0]") == "ns::scaled");
  CHECK(short_name("a") == "a");
}

TEST_CASE("a word is found as a word of its own") {
  CHECK(find_word("int area(area_t x)", "area") == 4);
  CHECK(find_word("subarea + area2", "area") == std::string_view::npos);
  CHECK(find_word("  SUBROUTINE Solve(n)", "solve") == 13);
  CHECK(find_word("x = a.operator()(1)", "operator()") == 6);
  CHECK(find_word("struct box { ~box(); }", "~box") == 13);
  CHECK(find_word("", "x") == std::string_view::npos);
  CHECK(find_word("abc", "") == std::string_view::npos);
}

TEST_CASE("the identifier under the cursor, or just before it") {
  CHECK(word_at("t += same(i);", 5) == "same");
  CHECK(word_at("t += same(i);", 7) == "same");
  CHECK(word_at("t += same(i);", 9) == "same");
  CHECK(word_at("t += same(i);", 3).empty());
  CHECK(word_at("abc", 99) == "abc");
}
