#include "server/features/report_rows.h"

#include <catch2/catch.hpp>

using namespace gprof;
using namespace gprof::lsp;

TEST_CASE("rows of the flat profile") {
  const auto row =
      parse_flat_row(" 33.34      0.02     0.02     7208     0.00     0.00  open(int, char*)");
  REQUIRE(row);
  CHECK(row->name.name == "open(int, char*)");
  CHECK(row->name.begin == 54);
  CHECK(row->calls == 7208);

  const auto uncalled =
      parse_flat_row("  0.00      0.06     0.00                             main");
  REQUIRE(uncalled);
  CHECK(uncalled->name.name == "main");
  CHECK(uncalled->calls == 0);

  const auto wide = parse_flat_row(
      "100.00 123456.78 123456.78 123456789012   12.50    12.50  operator new(unsigned long)");
  REQUIRE(wide);
  CHECK(wide->name.name == "operator new(unsigned long)");
  CHECK(wide->calls == 123456789012);

  const auto with_error =
      parse_flat_row("  0.00      0.00     0.00   +-0.10        6     0.00     0.00  is_even");
  REQUIRE(with_error);
  CHECK(with_error->name.name == "is_even");
  CHECK(with_error->calls == 6);
}

TEST_CASE("rows of reports by lines tell the place") {
  const auto row = parse_flat_row(
      "  0.00      0.00     0.00      300     0.00     0.00  f(int) (work.c:3 @ 12d1)");
  REQUIRE(row);
  CHECK(row->name.name == "f(int)");
  CHECK(row->name.note == "work.c");
  CHECK(row->name.address == Address{0x12d1});
}

TEST_CASE("what is no row of the flat profile") {
  for (const char* line :
       {"", "  %   cumulative   self              self     total           ",
        " time   seconds   seconds    calls  Ts/call  Ts/call  name    ", " no time accumulated",
        "Each sample counts as 0.01 seconds.", " 1 2 3", "\f"}) {
    INFO(line);
    CHECK_FALSE(parse_flat_row(line));
  }
}

TEST_CASE("rows of the call graph") {
  const auto primary =
      parse_graph_row("[4]      0.0    0.00    0.00     300+1200    factorial <cycle 2> [4]");
  REQUIRE(primary);
  CHECK(primary->primary == 4);
  CHECK(primary->name.name == "factorial");
  CHECK(primary->name.entry == 4);
  CHECK(primary->calls == 300);

  const auto uncalled = parse_graph_row("[6]    100.0    0.00    1.25                 main [6]");
  REQUIRE(uncalled);
  CHECK(uncalled->name.name == "main");
  CHECK(uncalled->calls == 0);

  const auto callee =
      parse_graph_row("                0.00    0.00     300/300         same_name [6]");
  REQUIRE(callee);
  CHECK(callee->primary == 0);
  CHECK(callee->name.name == "same_name");
  CHECK(callee->name.entry == 6);
  CHECK_FALSE(callee->calls);
  CHECK(std::string_view("                0.00    0.00     300/300         same_name [6]")
            .substr(callee->name.entry_begin, callee->name.entry_end - callee->name.entry_begin) ==
        "[6]");

  const auto hidden = parse_graph_row("                                   5             odd (10)");
  REQUIRE(hidden);
  CHECK(hidden->name.name == "odd");
  CHECK(hidden->name.entry == 10);

  const auto lambda = parse_graph_row(
      "                0.00    0.00      77/77          main::{lambda(int)#1}::operator()(int) "
      "const [9]");
  REQUIRE(lambda);
  CHECK(lambda->name.name == "main::{lambda(int)#1}::operator()(int) const");

  const auto array =
      parse_graph_row("                0.00    0.00       1/1           sum(int (&) [3]) [12]");
  REQUIRE(array);
  CHECK(array->name.name == "sum(int (&) [3])");
  CHECK(array->name.entry == 12);
}

TEST_CASE("cycles and spontaneous callers are no functions") {
  const auto cycle =
      parse_graph_row("[1]      0.0    0.00    0.00       1+10      <cycle 1 as a whole> [1]");
  REQUIRE(cycle);
  CHECK(cycle->primary == 1);
  CHECK(cycle->name.is_cycle);
  const auto spontaneous =
      parse_graph_row("                                                 <spontaneous>");
  REQUIRE(spontaneous);
  CHECK(spontaneous->name.is_cycle);
}

TEST_CASE("what is no row of the call graph") {
  for (const char* line :
       {"", "index % time    self  children    called     name",
        " Dashes part the entries, one a function. The line with a number in brackets is",
        " self        Seconds in the function itself.", "granularity: each sample hit covers 2",
        "[x]   1.0  f [3]", "[3]"}) {
    INFO(line);
    CHECK_FALSE(parse_graph_row(line));
  }
}

TEST_CASE("rows of execution counts") {
  const auto row = parse_executions_row("/src/a b:2/main.c:7: (same_name:0x122a) 127 executions");
  REQUIRE(row);
  CHECK(row->path == "/src/a b:2/main.c");
  CHECK(row->line == 7);
  CHECK(row->name == "same_name");
  CHECK(row->address == Address{0x122a});
  CHECK(parse_executions_row("<unknown>:0: (_init:0x1000) 0 executions")->line == 0);
  for (const char* line :
       {"", "executions", " executions", ": (f:0x1) 1 executions", "a.c:x: (f:0x1) 1 executions",
        "a.c:1: (f:0xzz) 1 executions", "a.c:1 (f:0x1) 1 executions"}) {
    INFO(line);
    CHECK_FALSE(parse_executions_row(line));
  }
}

TEST_CASE("cells of the index") {
  const std::string_view line =
      "   [4] factorial              (10) is_odd                  [2] f(int) (shared.h)";
  const auto first = next_index_cell(line, 0);
  REQUIRE(first);
  CHECK(first->entry == 4);
  CHECK(line.substr(first->begin, first->end - first->begin) == "factorial");
  CHECK(line.substr(first->entry_begin, first->entry_end - first->entry_begin) == "[4]");
  const auto second = next_index_cell(line, first->end);
  REQUIRE(second);
  CHECK(second->entry == 10);
  CHECK(line.substr(second->begin, second->end - second->begin) == "is_odd");
  const auto third = next_index_cell(line, second->end);
  REQUIRE(third);
  CHECK(line.substr(third->begin, third->end - third->begin) == "f(int) (shared.h)");
  CHECK_FALSE(next_index_cell(line, third->end));
  CHECK_FALSE(next_index_cell("no cells [here]", 0));
  CHECK_FALSE(next_index_cell("[99999999999] f", 0));
}

TEST_CASE("cut and hostile lines are passed over") {
  const std::string_view lines[] = {
      "[4]      0.0    0.00    0.00     300+1200    factorial <cycle 2> [4]",
      "  0.00      0.00     0.00      300     0.00     0.00  f(int) (work.c:3 @ 12d1)",
      "/src/main.c:7: (same_name:0x122a) 127 executions",
      "   [4] factorial              (10) is_odd"};
  for (const std::string_view line : lines) {
    for (std::size_t size = 0; size < line.size(); ++size) {
      const std::string_view cut = line.substr(0, size);
      for (const auto& row : {parse_flat_row(cut), parse_graph_row(cut)}) {
        if (row) CHECK(row->name.begin + row->name.name.size() <= size);
      }
      if (const auto row = parse_executions_row(cut)) {
        CHECK(row->name_begin + row->name.size() <= size);
      }
      for (auto cell = next_index_cell(cut, 0); cell; cell = next_index_cell(cut, cell->end)) {
        CHECK(cell->end <= size);
      }
    }
  }
}
