// The options that choose a part of a profile.
#include "server/cli/profile_part.h"

#include "server/cli/diff/diff_command.h"
#include "server/cli/export/export_options.h"
#include "server/cli/report/report_options.h"
#include "server/cli/report/report_view.h"
#include "tests/unit/server/command_words.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace {

constexpr CommandWords<ExportOptions> export_line{export_syntax};
constexpr CommandWords<DiffOptions> diff_line{diff_syntax};
constexpr CommandWords<ReportOptions> report_line{report_syntax};

Selection selection_of(const std::string& word, const std::string& more = "--threshold=0") {
  return export_line.options({"--format=dot", word, more, "prog"}).part.selection;
}

std::string error_of(const std::string& word) {
  return export_line.error({"--format=dot", word, "prog"});
}

}  // namespace

TEST_CASE("parts: threads by name and number, processes by number") {
  const Selection named = selection_of("--thread=parser,12", "--thread=a b");
  CHECK(named.thread_names == std::vector<std::string>{"parser", "a b"});
  CHECK(named.threads == std::vector<std::uint32_t>{12});
  CHECK(named.processes.empty());
  CHECK(selection_of("--process=7,8", "--process=9").processes ==
        std::vector<std::uint32_t>{7, 8, 9});
  CHECK(selection_of("--threshold=0.5").is_all());
  for (const std::string word :
       {"--thread=", "--thread=a,", "--thread=,a", "--process=a", "--process=-1", "--process="}) {
    CAPTURE(word);
    CHECK(error_of(word).find(word + ": expected ") == 0);
  }
}

TEST_CASE("parts: a stretch of time, of which either end may be left out") {
  const Selection both = selection_of("--time=1.5..4");
  CHECK(both.from == 1.5);
  CHECK(both.to == 4);
  const Selection later = selection_of("--time=2..");
  CHECK(later.from == 2);
  CHECK_FALSE(later.to);
  const Selection sooner = selection_of("--time=...5");
  CHECK_FALSE(sooner.from);
  CHECK(sooner.to == 0.5);
  CHECK(selection_of("--time=1..2", "--time=3..") == selection_of("--time=3.."));
  for (const std::string text : {"", "..", "1", "1.5", "4..1", "1..1", "-1..2", "a..b", "1..nan",
                                 "1..inf", "1..2..3", "1-2"}) {
    CAPTURE(text);
    CHECK(error_of("--time=" + text).find("--time=" + text + ": expected seconds") == 0);
  }
}

TEST_CASE("parts: a metric of cost, and the first one as time") {
  CHECK(export_line.options({"--format=dot", "--metric=Ir", "prog"}).part.metric == "Ir");
  CHECK(
      export_line.options({"--format=dot", "--metric=Ir", "--metric=time", "prog"}).part.is_all());
  CHECK(error_of("--metric=").find("--metric") == 0);
}

TEST_CASE("parts: diff ranks by what it always did, and compares by a metric of cost") {
  const auto of = [](std::vector<std::string_view> words) {
    for (const std::string_view word : {"o", "a", "--", "n", "b"}) words.push_back(word);
    return diff_line.options(words);
  };
  CHECK(of({"--metric=calls"}).metric == ComparisonMetric::calls);
  CHECK(of({"--metric=calls"}).part.is_all());
  const DiffOptions both = of({"--metric=total", "--metric=Ir", "--thread=parser"});
  CHECK(both.metric == ComparisonMetric::total);
  CHECK(both.part.metric == "Ir");
  CHECK(both.part.selection.thread_names == std::vector<std::string>{"parser"});
}

TEST_CASE("parts: report's names leave GNU gprof's their shortened forms") {
  CHECK(report_line.options({"--m=5", "prog"}).request.minimum_count == 5);
  CHECK(report_line.options({"--p", "prog"}).request.full_paths);
  CHECK(report_line.options({"--metric=Ir", "--thread=a", "--process=1"}).part.metric == "Ir");
  CHECK_FALSE(report_line.error({"--metri=Ir"}).empty());
}

TEST_CASE("parts: report's --time takes symbols, and a stretch of time") {
  const ReportOptions symbols = report_line.options({"-nmain", "--time=file.c:f"});
  CHECK(symbols.request.symspecs.size() == 2);
  CHECK(symbols.part.is_all());
  const ReportOptions time = report_line.options({"--time=1..2.5"});
  CHECK(time.request.symspecs.empty());
  CHECK(time.part.selection.from == 1);
  CHECK(time.part.selection.to == 2.5);
}

TEST_CASE("parts: report needs --accurate for them, and whole files for others") {
  ReportOptions options = report_line.options({"--thread=a", "/missing/prog", "/missing/gmon.out"});
  auto viewed = add_view(options, {});
  REQUIRE_FALSE(viewed);
  CHECK(viewed.error().message.find("need --accurate") != std::string::npos);
  options =
      report_line.options({"--thread=a", "--accurate", "-s", "/missing/prog", "/missing/gmon"});
  viewed = add_view(options, {});
  REQUIRE_FALSE(viewed);
  CHECK(viewed.error().message.find("-s/--sum") != std::string::npos);
  options = report_line.options({"--metric=time", "/missing/prog"});
  CHECK(add_view(options, {}));
  CHECK(options.request.view == nullptr);
}
