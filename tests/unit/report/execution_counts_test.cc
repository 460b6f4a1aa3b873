#include "engine/report/execution_counts.h"

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/report/merge_sort.h"
#include "tests/support/source_function.h"
#include "tests/unit/report/written_text.h"

using namespace gprof;
using namespace gprof::test;

namespace {

SourceSymbol symbol(std::uint64_t address, std::string_view name, FileIndex file, LineNumber line) {
  return source_function(Address{address}, 0x10, name, file, line);
}

// b.c and a.c, with a symbol without a file between their functions.
ReportData program(const std::vector<SiteArc>& calls) {
  ReportData data;
  data.symbols = SourceSymbolTable(
      {{symbol(0x10, "main", 0, 9), symbol(0x20, "helper", 1, 4),
        symbol(0x30, "start", no_source_file, 0), symbol(0x40, "_ZN3boxC1Ev", 0, 2)},
       {"/src/b.c", "/src/a.c"},
       {},
       {}});
  data.graph = CallGraph::build(std::vector<Ticks>(data.symbols.size()), calls);
  return data;
}

std::string counts_of(const ReportData& data, const ReportRequest& request) {
  return written_text([&](TextOutput& text) { append_execution_counts(data, request, text); });
}

}  // namespace

TEST_CASE("execution counts name places and linkage names") {
  const ReportData data = program({{Address{0x11}, 0, 1, 7}, {Address{0x11}, 0, 3, 1}});
  CHECK(counts_of(data, {}) ==
        "/src/a.c:4: (helper:0x20) 7 executions\n"
        "/src/b.c:2: (_ZN3boxC1Ev:0x40) 1 executions\n");
}

TEST_CASE("what was never executed is shown on request, symbols without a file by address") {
  ReportRequest request;
  request.show_unused = true;
  CHECK(counts_of(program({}), request) ==
        "/src/a.c:4: (helper:0x20) 0 executions\n"
        "/src/b.c:9: (main:0x10) 0 executions\n"
        "<unknown>:0: (start:0x30) 0 executions\n"
        "/src/b.c:2: (_ZN3boxC1Ev:0x40) 0 executions\n");
}

TEST_CASE("blocks follow their symbol") {
  ReportData data = program({{Address{0x11}, 0, 1, 7}});
  const std::vector<BlockCount> blocks = {{Address{0x24}, 5}, {Address{0x26}, 0}};
  data.blocks = BlockTally(blocks, data.symbols);
  CHECK(counts_of(data, {}) ==
        "/src/a.c:4: (helper:0x20) 7 executions\n"
        "/src/a.c:4: (helper:0x24) 5 executions\n");
}

TEST_CASE("a merge sort keeps the order of equal items") {
  std::vector<std::pair<int, int>> items;
  for (int i = 0; i < 25; ++i) items.emplace_back(i * 7 % 5, i);
  auto sorted = items;
  merge_sort(std::span(sorted), [](const auto& a, const auto& b) { return a.first - b.first; });
  std::ranges::sort(items);
  CHECK(sorted == items);
}

TEST_CASE("a merge sort asks about the pairs that the C library asks about") {
  // Rock, paper, scissors: what comes first depends on which pairs are compared.
  std::vector<int> items = {0, 1, 2};
  merge_sort(std::span(items), [](int a, int b) { return (a - b + 3) % 3 == 1 ? 1 : -1; });
  // 1 and 2 are compared first, then 0 and 1.
  CHECK(items == std::vector<int>{0, 1, 2});
}
