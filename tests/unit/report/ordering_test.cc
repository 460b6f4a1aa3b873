#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "engine/report/file_ordering.h"
#include "engine/report/function_map.h"
#include "engine/report/function_ordering.h"
#include "tests/support/source_function.h"
#include "tests/unit/report/written_text.h"

using namespace gprof;
using namespace gprof::test;

namespace {

// Functions a, b, c, … of 16 bytes each, from 0x10 on.
SourceSymbolTable::Parts functions(std::size_t count) {
  SourceSymbolTable::Parts parts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& name = parts.owned_names.emplace_back(1, static_cast<char>('a' + i));
    parts.symbols.push_back(source_function(Address{0x10 * (i + 1)}, 0x10, name));
  }
  return parts;
}

ReportData data_of(SourceSymbolTable::Parts parts, const std::vector<SiteArc>& calls) {
  ReportData data;
  data.symbols = SourceSymbolTable(std::move(parts));
  data.graph = CallGraph::build(std::vector<Ticks>(data.symbols.size()), calls);
  return data;
}

std::string function_order(const ReportData& data) {
  return written_text([&](TextOutput& text) { append_function_ordering(data, text); });
}

Expected<FunctionMap> read_map(std::string_view text) {
  return FunctionMap::read(std::as_bytes(std::span(text)), "map");
}

}  // namespace

TEST_CASE("function ordering: callers stand before the functions that they call most") {
  // a is never called. c calls b often, b calls d; e calls c.
  const ReportData data =
      data_of(functions(6), {{{}, 0, 4, 300}, {{}, 4, 2, 100}, {{}, 1, 3, 200}, {{}, 2, 1, 500}});
  // The last one per cent of the calls joins nothing: e stays on its own.
  CHECK(function_order(data) == "c\nb\nd\ne\na\nf\n");
}

TEST_CASE("function ordering: what only recursion calls is unused") {
  CHECK(function_order(data_of(functions(2), {{{}, 1, 1, 9}})) == "a\nb\n");
}

TEST_CASE("function ordering: no symbols, no lines") {
  CHECK(function_order(data_of({}, {})).empty());
}

TEST_CASE("function map: file before the colon, function after the last space") {
  const auto map = read_map("x.o:0000 T a\n\n  y.o: b c\nlib.a:z.o:0 T d");
  REQUIRE(map);
  REQUIRE(map->find("a") != nullptr);
  CHECK(map->find("a")->file == "x.o");
  CHECK(map->find("c")->file == "y.o");
  CHECK(map->find("d")->file == "lib.a");
  CHECK(map->find("b") == nullptr);
}

TEST_CASE("function map: damaged maps are errors") {
  for (const std::string_view text :
       {"", "\n", "x.o", "x.o:a\n", "x.o:\n", ": a\n", "x.o: a\ny.o\n", "x.o: a\ny.o:"}) {
    INFO(text);
    CHECK_FALSE(read_map(text));
  }
  const auto damaged = read_map("x.o: a\ny.o\n");
  CHECK(damaged.error().offset == 7);
  CHECK(FunctionMap::read_file("/nonexistent/map").error().code == ErrorCode::not_found);
  CHECK(FunctionMap::read_file("/").error().code == ErrorCode::unreadable);
}

TEST_CASE("function map: the first function of a file's run stands for the file") {
  auto parts = functions(4);
  const auto map = read_map("x.o: a\nx.o: b\ny.o: d\nz.o: nowhere\n");
  REQUIRE(map);
  const MappedSymbols mapped = apply_function_map(parts, *map);
  REQUIRE(parts.symbols.size() == 3);
  CHECK(parts.symbols[0].name == "x.o");
  CHECK(parts.symbols[0].end == Address{0x30});  // including what was b
  CHECK(parts.symbols[1].name == "c");
  CHECK(parts.symbols[2].name == "y.o");
  CHECK(mapped.files == std::vector<std::string>{"x.o", "y.o", "z.o"});

  const ReportData data = data_of(std::move(parts), {});
  const std::string text =
      written_text([&](TextOutput& output) { append_file_ordering(data, mapped, output); });
  CHECK(text == "x.o\ny.o\nz.o\n");
}
