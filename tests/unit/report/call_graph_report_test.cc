#include "engine/report/call_graph_report.h"

#include "tests/unit/report/synthetic_program.h"
#include "tests/unit/report/written_text.h"

using namespace gprof;
using namespace gprof::test;

namespace {

ReportRequest brief() {
  ReportRequest request;
  request.brief = true;
  return request;
}

std::string graph_text(const ReportData& data, const ReportRequest& request) {
  const GraphIndex index(data);
  ReportNames names = names_of(request, data);
  names.number_entries(index);
  return written_text([&](TextOutput& text) {
    append_call_graph(text, {request, data, index, names});
    append_name_index(text, {request, data, index, names});
  });
}

}  // namespace

TEST_CASE("call graph: entries with their callers above and their callees below") {
  const ReportData data = data_of(functions_named({"main", "f"}), {100, 300},
                                  {{Address{}, 0, 1, 4}, {Address{}, 1, 1, 2}});
  CHECK(graph_text(data, brief()) ==
        "\t\t\tCall graph\n\n"
        "\ngranularity: each sample hit covers 2 byte(s) for 0.25% of 4.00 seconds\n\n"
        "index % time    self  children    called     name\n"
        "                                                 <spontaneous>\n"
        "[1]    100.0    1.00    3.00                 main [1]\n"
        "                3.00    0.00       4/4           f [2]\n"
        "-----------------------------------------------\n"
        "                                   2             f [2]\n"
        "                3.00    0.00       4/4           main [1]\n"
        "[2]     75.0    3.00    0.00       4+2       f [2]\n"
        "                                   2             f [2]\n"
        "-----------------------------------------------\n"
        "\f\nIndex by function name\n\n"
        "   [2] f                       [1] main\n");
}

TEST_CASE("call graph: a cycle has an entry of its own") {
  const ReportData data =
      data_of(functions_named({"main", "a", "b"}), {0, 100, 300},
              {{Address{}, 0, 1, 1}, {Address{}, 1, 2, 5}, {Address{}, 2, 1, 4}});
  const std::string text = graph_text(data, brief());
  CHECK(text.find("[1]    100.0    4.00    0.00       1+9       <cycle 1 as a whole> [1]\n"
                  "                3.00    0.00       5             b <cycle 1> [3]\n"
                  "                1.00    0.00       5             a <cycle 1> [4]\n") !=
        std::string::npos);
  CHECK(text.find("                                   4             b <cycle 1> [3]\n"
                  "                4.00    0.00       1/1           main [2]\n"
                  "[4]     25.0    1.00    0.00       5         a <cycle 1> [4]\n"
                  "                                   5             b <cycle 1> [3]\n") !=
        std::string::npos);
  // main has neither calls nor time of its own.
  CHECK(
      text.ends_with("   [4] a                       [3] b                       [1] <cycle 1>\n"));
}

TEST_CASE("call graph: calls that were never made have a line each") {
  const ReportData data = data_of(functions_named({"main", "f", "g"}), {100, 200, 0},
                                  {{Address{}, 0, 1, 4}, {Address{}, 0, 2, 0}});
  const std::string text = graph_text(data, brief());
  CHECK(text.find("                2.00    0.00       4/4           f [2]\n"
                  "                0.00    0.00       0/0           g [3]\n") != std::string::npos);
  // Symbols with neither time nor calls have no entry, but a number.
  CHECK(text.find("\n[3] ") == std::string::npos);
}

TEST_CASE("call graph: functions that are not printed have their numbers in parentheses") {
  PropagationRules rules;
  rules.begins_printing = {true, true};
  rules.ends_printing = {false, true};
  const ReportData data =
      data_of(functions_named({"main", "f"}), {100, 300}, {{Address{}, 0, 1, 4}}, rules);
  const std::string text = graph_text(data, brief());
  CHECK(text.find("       4/4           f (2)\n") != std::string::npos);
  CHECK(text.find("\n[2] ") == std::string::npos);
}

TEST_CASE("call graph: the traditional layout is wider and has blank lines") {
  ReportRequest request = brief();
  request.traditional = true;
  const ReportData data =
      data_of(functions_named({"main", "f"}), {100, 300}, {{Address{}, 0, 1, 4}});
  const std::string text = graph_text(data, request);
  CHECK(text.find("index  %time    self descendants  called+self    name    \tindex\n") !=
        std::string::npos);
  CHECK(text.find("\n[1]    100.0    1.00        3.00                 main [1]\n"
                  "                3.00        0.00       4/4           f [2]\n\n"
                  "-----------------------------------------------\n\n") != std::string::npos);
}

TEST_CASE("call graph: nothing took time") {
  const ReportData data = data_of(functions_named({"main", "f"}), {0, 0}, {{Address{}, 0, 1, 4}});
  const std::string text = graph_text(data, brief());
  CHECK(text.find("byte(s) no time propagated\n\n") != std::string::npos);
  CHECK(text.find("       4         f [1]\n") != std::string::npos);
}

TEST_CASE("call graph: spontaneous calls that were counted say how many") {
  const ReportData data = data_of(functions_named({"main", "handler"}), {100, 300},
                                  {{Address{}, no_symbol, 1, 3}, {Address{}, 0, 1, 1}});
  CHECK(graph_text(data, brief())
            .find("                0.75    0.00       1/4           main [2]\n"
                  "                2.25    0.00       3/4           <spontaneous>\n"
                  "[1]     75.0    3.00    0.00       4         handler [1]\n") !=
        std::string::npos);
}
