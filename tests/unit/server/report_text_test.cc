#include "server/report_documents/report_text.h"

#include <string>
#include <vector>

#include "engine/report/report.h"
#include "server/report_documents/report_folding.h"
#include "server/text/utf8.h"
#include "tests/unit/report/synthetic_program.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace {

ReportOutput explained_report(const std::string& name) {
  ProgramOnDisk made(name, {{"main", at(0)}, {"leaf", at(1)}}, 2 * function_size);
  GmonDescription profile;
  profile.histograms = {{at(0), at(2), {2, 3}, 1, "seconds", 's', {}}};
  profile.arcs = {{at(0) + 8, at(1), 10}};
  made.add_profile(profile);
  made.request.brief = false;
  return made.report();
}

std::vector<std::string> covered(const ReportText& report, RangeKind kind) {
  std::vector<std::string> found;
  for (const ReportRange& range : report.parts.ranges) {
    REQUIRE(range.begin <= range.end);
    REQUIRE(range.end <= report.text.size());
    if (range.kind == kind) {
      found.push_back(report.text.substr(range.begin, range.end - range.begin));
    }
  }
  return found;
}

Document opened(const std::string& text) {
  return Document(text, "plaintext", 1, PositionEncoding::utf16);
}

ReportRange function_at(std::uint64_t begin, std::uint64_t end) {
  return {RangeKind::function, 0, 0, begin, end};
}

}  // namespace

TEST_CASE("folds of a whole report nest and begin and end with text") {
  ReportOutput output = explained_report("report_text_folds");
  const ReportText report = report_text(output.text, output.ranges, false);
  std::vector<std::pair<std::string, std::string>> folds;
  std::size_t comments = 0;
  for (const FoldingRange& fold : report_folding(report)) {
    CHECK(fold.start_line < fold.end_line);
    folds.emplace_back(report.lines.line(report.text, fold.start_line),
                       report.lines.line(report.text, fold.end_line));
    if (fold.kind == FoldingKind::comment) ++comments;
  }
  CHECK(comments == 2);
  REQUIRE(folds.size() == 7);
  CHECK(folds[0].first == "Flat profile:");
  CHECK(folds[1].first ==
        " Columns of the flat profile, one row a function, the most expensive first:");
  CHECK(folds[0].second == folds[1].second);
  CHECK(folds[2].first == "\t\t     Call graph (explanation follows)");
  CHECK(folds[3].second.ends_with("leaf [2]"));
  CHECK(folds[4].second.starts_with("[2]"));
  CHECK(folds[5].first.starts_with(" Reading the call graph."));
  CHECK(folds[2].second == folds[5].second);
  CHECK(folds[6].first == "Index by function name");
}

TEST_CASE("the last section alone is the report of its page") {
  ReportOutput output = explained_report("report_text_last");
  const ReportText index = report_text(output.text, output.ranges, true);
  CHECK(index.text.starts_with("Index by function name\n"));
  CHECK(output.text.ends_with(index.text));
  CHECK(covered(index, RangeKind::function) == std::vector<std::string>{"leaf", "main"});
  CHECK(covered(index, RangeKind::reference) == std::vector<std::string>{"[2]", "[1]"});
  CHECK(report_folding(index).empty());
  CHECK(report_text("text", {}, true).text.empty());
}

TEST_CASE("bytes that are no text move ranges along") {
  ReportRanges parts;
  parts.ranges = {
      {RangeKind::section, 0, 0, 0, 12}, function_at(2, 5), function_at(6, 8), function_at(9, 11)};
  const ReportText report = report_text("\xFF \xE4x\xF6 ab\n\xC3\xBC\n", parts, false);
  CHECK(report.text == "\uFFFD \uFFFDx\uFFFD ab\n\u00FC\n");
  CHECK(covered(report, RangeKind::function) ==
        std::vector<std::string>{"\uFFFDx\uFFFD", "ab", "\u00FC"});
  CHECK(covered(report, RangeKind::section) == std::vector<std::string>{report.text});
}

TEST_CASE("an open text has the ranges of the lines that are as they were printed") {
  ReportOutput output = explained_report("report_text_open");
  const ReportText report = report_text(output.text, output.ranges, false);
  const auto names = covered(report, RangeKind::function);
  const std::string note = "leaf main [1] [2]\n";
  CHECK(covered(in_open_text(report, opened(note + report.text + note)), RangeKind::function) ==
        names);
  std::string with_returns;
  for (const char letter : report.text)
    with_returns += letter == '\n' ? "\r\n" : std::string(1, letter);
  CHECK(covered(in_open_text(report, opened(with_returns)), RangeKind::function) == names);

  std::string edited = report.text;
  const std::size_t row = edited.find("  leaf\n");
  edited.replace(row, 6, "  else");
  const auto left = covered(in_open_text(report, opened(edited)), RangeKind::function);
  CHECK(left.size() == names.size() - 1);
  for (const std::string& name : left) CHECK((name == "leaf" || name == "main"));
  CHECK(in_open_text(report, opened("")).parts.ranges.empty());
}

TEST_CASE("a report cut anywhere keeps its ranges within its text") {
  ReportOutput output = explained_report("report_text_cut");
  const ReportText report = report_text(output.text, output.ranges, false);
  for (std::size_t size = 0; size < report.text.size(); size += 7) {
    const ReportText cut = in_open_text(report, opened(report.text.substr(0, size)));
    (void)covered(cut, RangeKind::function);
    for (const FoldingRange& fold : report_folding(cut)) {
      CHECK(fold.start_line < fold.end_line);
      CHECK(fold.end_line < cut.lines.line_count());
    }
  }
}
