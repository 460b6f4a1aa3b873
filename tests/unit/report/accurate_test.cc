// --accurate: the editor's way of counting in gprof's reports.
#include "tests/support/files.h"
#include "tests/unit/report/synthetic_program.h"

using namespace gprof;
using namespace gprof::test;

namespace {

ProgramOnDisk program(const std::string& name) {
  ProgramOnDisk made(name,
                     {{"whole", at(0)},
                      {"whole.cold", at(1), STB_LOCAL},
                      {"whole.part.0", at(2), STB_LOCAL},
                      {"odd$name", at(3), STB_LOCAL},
                      {"last", at(4)}},
                     8 * function_size);
  GmonDescription profile;
  profile.histograms = {{at(0), at(8), {1, 2, 3, 4, 5, 6, 7, 8}, 1, "seconds", 's', {}}};
  profile.arcs = {{0, at(0), 6}, {at(0) + 8, at(2), 3}, {at(4) + 8, at(0), 2}};
  made.add_profile(profile);
  made.request.accurate = true;
  return made;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("accurate: clones, odd names and unknown code have rows") {
  ProgramOnDisk made = program("report_accurate");
  made.request.kinds.insert(ReportKind::flat_profile);
  const std::string text = made.report().text;
  CHECK(contains(text, " 58.33     21.00    21.00                             <unknown code>\n"));
  CHECK(contains(text, "     5.00                             last\n"));
  CHECK(contains(text, "     4.00                             odd$name\n"));
  CHECK(contains(text, "     3.00        3     1.00     1.00  whole [.part.0]\n"));
  CHECK(contains(text, "     2.00                             whole [.cold]\n"));
  CHECK(contains(text, "36.00     1.00        8"));
}

TEST_CASE("accurate: without it the neighbour gets what its clones took") {
  ProgramOnDisk made = program("report_not_accurate");
  made.request.accurate = false;
  made.request.kinds.insert(ReportKind::flat_profile);
  const std::string text = made.report().text;
  CHECK(contains(text, "    10.00        2     "));
  CHECK_FALSE(contains(text, "unknown"));
  CHECK_FALSE(contains(text, "["));
}

TEST_CASE("accurate: calls from nowhere known are spontaneous") {
  ProgramOnDisk made = program("report_accurate_spontaneous");
  made.request.kinds.insert(ReportKind::call_graph);
  const std::string text = made.report().text;
  CHECK(contains(text, "       6/8           <spontaneous>\n"));
  CHECK(contains(text, "       2/8           last ["));
}

TEST_CASE("accurate: unknown code is neither executed nor ordered") {
  const ReportKind kind = GENERATE(ReportKind::execution_counts, ReportKind::function_ordering);
  ProgramOnDisk made = program("report_accurate_counts");
  made.request.kinds.insert(kind);
  made.request.show_unused = true;
  CHECK_FALSE(contains(made.report().text, "unknown code"));
}

TEST_CASE("accurate: symbols from elsewhere are counted as they are") {
  ProgramOnDisk made = program("report_accurate_symbols");
  const std::string list = made.request.executable + ".symbols";
  write_file(list, "0000000000001000 T alone\n");
  made.request.external_symbols = list;
  const std::string text = made.report().text;
  CHECK(contains(text, "  alone"));
  CHECK_FALSE(contains(text, "whole"));
}

TEST_CASE("accurate: a sum holds the calls whose callers are known") {
  ProgramOnDisk made = program("report_accurate_sum");
  made.request.kinds.insert(ReportKind::summary_file);
  made.request.by_line = true;
  const ReportOutput output = made.report();
  REQUIRE(output.files.size() == 1);
  const auto sum = read_gmon(std::as_bytes(std::span(output.files[0].contents)), "gmon.sum", {});
  REQUIRE(sum);
  CHECK(sum->arcs.size() == 2);
}
