#include "server/features/report_document.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/features/report_folding.h"

using namespace gprof::lsp;

namespace {

const std::string_view flat_and_graph = R"(Flat profile:

Each sample counts as 0.01 seconds.
  %   cumulative   self              self     total           
 time   seconds   seconds    calls  Ts/call  Ts/call  name    
 60.00      0.03     0.03       10     3.00     3.00  leaf
 40.00      0.05     0.02                             main

 Columns of the flat profile, one row a function.
 % time     12 3 4 [5]
)"
                                        "\f\n"
                                        R"(		     Call graph (explanation follows)


granularity: each sample hit covers 2 byte(s) for 20.00% of 0.05 seconds

index % time    self  children    called     name
                                                 <spontaneous>
[1]    100.0    0.02    0.03                 main [1]
                0.03    0.00      10/10          leaf [2]
-----------------------------------------------
                0.03    0.00      10/10          main [1]
[2]     60.0    0.03    0.00      10         leaf [2]
-----------------------------------------------

 Dashes part the entries, one a function.
 Another line of it.
)"
                                        "\f\n"
                                        R"(Index by function name

   [2] leaf (a.c)              [1] main
)";

struct Parsed {
  explicit Parsed(std::string_view report, ReportPage page = ReportPage::everything)
      : text(report), lines(text), document(parse_report(text, lines, page)) {}

  std::string_view at(const ReportSpan& span) const {
    return lines.line(text, span.line).substr(span.begin, span.end - span.begin);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const ReportName& name : document.names) {
      CHECK(at(name.span) == name.name);
      found.emplace_back(name.name);
    }
    return found;
  }

  std::string text;
  LineTable lines;
  ReportDocument document;
};

}  // namespace

TEST_CASE("names, numbers and entries of a whole report") {
  const Parsed report(flat_and_graph);
  CHECK(report.names() == std::vector<std::string>{"leaf", "main", "main", "leaf", "main", "leaf",
                                                   "leaf (a.c)", "main"});
  CHECK(report.document.names[0].calls == 10);
  CHECK(report.document.names[6].note == "a.c");
  std::vector<std::string> numbers;
  for (const auto& reference : report.document.references) {
    numbers.emplace_back(report.at(reference.span));
    CHECK(numbers.back() == "[" + std::to_string(reference.entry) + "]");
  }
  CHECK(numbers == std::vector<std::string>{"[2]", "[1]", "[2]", "[1]"});
  REQUIRE(report.document.entries.size() == 2);
  for (const auto& [number, line] : report.document.entries) {
    CHECK(report.lines.line(report.text, line).starts_with("[" + std::to_string(number) + "]"));
  }
}

TEST_CASE("folds of a whole report nest and begin and end with text") {
  const Parsed report(flat_and_graph);
  std::vector<std::pair<std::string, std::string>> folds;
  std::size_t comments = 0;
  for (const FoldingRange& fold : report_folding(report.document)) {
    CHECK(fold.start_line < fold.end_line);
    folds.emplace_back(report.lines.line(report.text, fold.start_line),
                       report.lines.line(report.text, fold.end_line));
    if (fold.kind == FoldingKind::comment) ++comments;
  }
  CHECK(comments == 2);
  REQUIRE(folds.size() == 7);
  CHECK(folds[0] == std::pair<std::string, std::string>("Flat profile:", " % time     12 3 4 [5]"));
  CHECK(folds[1].first == " Columns of the flat profile, one row a function.");
  CHECK(folds[2].first == "\t\t     Call graph (explanation follows)");
  CHECK(folds[2].second == " Another line of it.");
  CHECK(folds[3].second.ends_with("leaf [2]"));
  CHECK(folds[4].second.starts_with("[2]"));
  CHECK(folds[5].first == " Dashes part the entries, one a function.");
  CHECK(folds[6].first == "Index by function name");
}

TEST_CASE("sources may hold lines that look like a report") {
  const Parsed report(
      "*** File /src/a b.c:\n"
      "                /*\n"
      "                index % time    self  children    called     name\n"
      "           7 -> int f(void) { return 0; } /* f [2] */\n"
      "\n"
      "\n"
      "Top 10 Lines:\n"
      "\n"
      "     Line      Count\n"
      "\n"
      "        3          7\n"
      "*** File /src/b.c:\n"
      "                int b;\n",
      ReportPage::annotated_source);
  CHECK(report.document.names.empty());
  REQUIRE(report.document.files.size() == 2);
  CHECK(report.document.files[0].path == "/src/a b.c");
  CHECK(report.at(report.document.files[0].span) == "/src/a b.c");
  REQUIRE(report.document.folds.size() == 2);
  CHECK(report.document.folds[0].first == 0);
  CHECK(report.document.folds[0].last == 10);
  CHECK(report.document.folds[1].first == 11);
}

TEST_CASE("pages without headings") {
  const Parsed counts("/a.c:3: (f:0x10) 12 executions\n<unknown>:0: (g:0x20) 1 executions\n",
                      ReportPage::execution_counts);
  CHECK(counts.names() == std::vector<std::string>{"f", "g"});
  REQUIRE(counts.document.files.size() == 1);
  CHECK(counts.at(counts.document.files[0].span) == "/a.c:3");
  CHECK(counts.document.files[0].line == 3);
  const Parsed ordering("main\n_ZN3boxC1Ev\n\n", ReportPage::function_ordering);
  CHECK(ordering.names() == std::vector<std::string>{"main", "_ZN3boxC1Ev"});
}

TEST_CASE("a report cut anywhere stays within its lines") {
  for (std::size_t size = 0; size < flat_and_graph.size(); ++size) {
    const Parsed report(flat_and_graph.substr(0, size));
    report.names();
    for (const auto& fold : report.document.folds) {
      CHECK(fold.first < fold.last);
      CHECK(fold.last < report.lines.line_count());
    }
  }
}
