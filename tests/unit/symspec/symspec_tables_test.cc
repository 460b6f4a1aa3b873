#include "engine/symspec/symspec_tables.h"

#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/source_function.h"

using namespace gprof;
using namespace gprof::test;

namespace {

bool arc_chosen(const SymspecTables& tables, const SourceSymbol& from, const SourceSymbol& to) {
  return tables.arc_chosen(from.address, {to.address, to.end});
}

SourceSymbol function(std::uint64_t address, std::string_view name, FileIndex file,
                      LineNumber line) {
  return source_function(Address{address}, 0x10, name, file, line);
}

// Two files with the same base name, of which gprof knows the later; `helper` is in both others.
SourceSymbolTable program() {
  return SourceSymbolTable({{function(0x10, "main", 0, 5), function(0x20, "helper", 0, 9),
                             function(0x30, "helper", 1, 9), function(0x40, "other", 2, 5),
                             function(0x50, "mcount", no_source_file, 0)},
                            {"/src/main.c", "/old/left.c", "/new/left.c"},
                            {},
                            {}});
}

// The numbers of the symbols on the list of the options.
std::vector<int> on_list(SymspecList list, const std::vector<SymspecChoice>& choices) {
  const SourceSymbolTable symbols = program();
  const SymspecTables tables = SymspecTables::build(choices, symbols);
  std::vector<int> found;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const auto index = static_cast<SymbolIndex>(i);
    if (tables.symbols(list).contains(symbols[index].address)) found.push_back(static_cast<int>(i));
  }
  return found;
}

std::vector<int> flat(const std::string& text) {
  return on_list(SymspecList::include_flat, {{SymspecList::include_flat, text}});
}

using Numbers = std::vector<int>;

}  // namespace

TEST_CASE("symspec tables: functions, files, lines") {
  CHECK(flat("helper") == Numbers{1, 2});
  CHECK(flat("main.c") == Numbers{0, 1});
  CHECK(flat("/src/main.c").empty());  // not a base name
  CHECK(flat("5") == Numbers{0, 3});
  CHECK(flat("main.c:helper") == Numbers{1});
  CHECK(flat("main.c:5") == Numbers{0});
  CHECK(flat("").size() == 5);
}

TEST_CASE("symspec tables: of files of one base name the last one is meant") {
  CHECK(flat("left.c") == Numbers{3});
  CHECK(flat("left.c:helper").empty());
}

TEST_CASE("symspec tables: what matches nothing holds nothing") {
  CHECK(flat("nobody").empty());
  CHECK(flat("none.c").empty());
  CHECK(flat("6").empty());
}

TEST_CASE("symspec tables: specifications that overlap add up") {
  CHECK(on_list(SymspecList::include_flat,
                {{SymspecList::include_flat, "main.c"}, {SymspecList::include_flat, "helper"}}) ==
        Numbers{0, 1, 2});
}

TEST_CASE("symspec tables: the collector's functions are excluded") {
  for (const SymspecList list :
       {SymspecList::exclude_time, SymspecList::exclude_graph, SymspecList::exclude_flat}) {
    CHECK(on_list(list, {}) == Numbers{4});
  }
  CHECK(on_list(SymspecList::exclude_executions, {}).empty());
}

TEST_CASE("symspec tables: an include list decides alone") {
  const SourceSymbolTable symbols = program();
  const std::vector<SymspecChoice> choices = {{SymspecList::include_flat, "mcount"},
                                              {SymspecList::exclude_flat, "mcount"}};
  const SymspecTables tables = SymspecTables::build(choices, symbols);
  const auto chosen = [&](SymbolIndex symbol) {
    return tables.chosen(SymspecList::include_flat, SymspecList::exclude_flat,
                         symbols[symbol].address);
  };
  CHECK(chosen(4));
  CHECK_FALSE(chosen(0));
}

TEST_CASE("symspec tables: several exclusions of one caller's arcs all hold") {
  const SourceSymbolTable symbols = program();
  const std::vector<SymspecChoice> choices = {{SymspecList::exclude_arcs, "main/helper"},
                                              {SymspecList::exclude_arcs, "main/other"}};
  const SymspecTables tables = SymspecTables::build(choices, symbols);
  const auto chosen = [&](SymbolIndex from, SymbolIndex to) {
    return arc_chosen(tables, symbols[from], symbols[to]);
  };
  CHECK_FALSE(chosen(0, 1));
  CHECK_FALSE(chosen(0, 2));
  CHECK_FALSE(chosen(0, 3));
  CHECK(chosen(0, 4));
  CHECK(chosen(1, 3));
}

TEST_CASE("symspec tables: arcs without one end mean any") {
  const SourceSymbolTable symbols = program();
  const auto chosen = [&](const std::string& text, SymbolIndex from, SymbolIndex to) {
    const SymspecChoice choice{SymspecList::include_arcs, text};
    return arc_chosen(SymspecTables::build(std::span(&choice, 1), symbols), symbols[from],
                      symbols[to]);
  };
  CHECK(chosen("main/", 0, 3));
  CHECK_FALSE(chosen("main/", 1, 3));
  CHECK(chosen("/other", 1, 3));
  CHECK_FALSE(chosen("/other", 1, 2));
  // An unknown caller is ignored; an unknown callee leaves no arc.
  CHECK(chosen("nobody/other", 0, 1));
  CHECK_FALSE(chosen("main/nobody", 0, 3));
}

TEST_CASE("symspec tables: a function answers for all its addresses") {
  const SymbolSet set({{Address{0x20}, Address{0x40}},
                       {Address{0x10}, Address{0x20}},
                       {Address{0x10}, Address{0x20}}});
  CHECK_FALSE(set.contains(Address{0x0f}));
  CHECK(set.contains(Address{0x10}));
  CHECK(set.contains(Address{0x3f}));
  CHECK_FALSE(set.contains(Address{0x40}));
  CHECK(SymbolSet().empty());
}
