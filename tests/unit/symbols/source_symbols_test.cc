#include "engine/symbols/source_symbols.h"

#include <catch2/catch.hpp>

using namespace gprof;

TEST_CASE("source symbols: the nearest symbol before an address decides by its end") {
  SourceSymbolTable::Parts parts;
  parts.symbols = {{Address{10}, Address{20}, "low"}, {Address{30}, Address{90}, "function"}};
  parts.symbols.push_back({Address{40}, Address{50}, "line"});
  const SourceSymbolTable table(std::move(parts));

  CHECK(!table.find(Address{9}));
  CHECK(table.find(Address{10}) == SymbolIndex{0});
  CHECK(table.find(Address{19}) == SymbolIndex{0});
  CHECK(!table.find(Address{20}));
  CHECK(table.find(Address{39}) == SymbolIndex{1});
  CHECK(table.find(Address{49}) == SymbolIndex{2});
  CHECK(!table.find(Address{50}));
}

TEST_CASE("source symbols: paths and base names") {
  SourceSymbolTable::Parts parts;
  parts.files = {"/src/a.c", "b.c"};
  const SourceSymbolTable table(std::move(parts));

  CHECK(table.path(0) == "/src/a.c");
  CHECK(table.base_name(0) == "a.c");
  CHECK(table.base_name(1) == "b.c");
  CHECK(table.path(no_source_file).empty());
  CHECK(table.base_name(no_source_file).empty());
  CHECK(base_name_of("dir/").empty());
}
