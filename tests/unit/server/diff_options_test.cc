#include "server/cli/diff/diff_command.h"
#include "tests/unit/server/command_words.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace {

constexpr CommandWords<DiffOptions> diff_line{diff_syntax};

}  // namespace

TEST_CASE("diff takes two sides, each with its runs") {
  const DiffOptions options = diff_line.options({"old", "a", "b", "--", "new", "c"});
  CHECK(options.before.executable == "old");
  CHECK(options.before.profiles == std::vector<std::string>{"a", "b"});
  CHECK(options.after.executable == "new");
  CHECK(options.after.profiles == std::vector<std::string>{"c"});
  CHECK(options.format == DiffFormat::text);
  CHECK(options.metric == ComparisonMetric::self);
  CHECK_FALSE(options.fail_over);
}

TEST_CASE("diff takes options before and among the old side's words, none behind --") {
  const DiffOptions options =
      diff_line.options({"--format=sarif", "--metric", "total", "old", "--limit=0", "a", "-o",
                         "out", "--fail-over=2.5%", "--lines", "--notes", "--old-source=o",
                         "--source-root", "r", "--", "new", "--json"});
  CHECK(options.format == DiffFormat::sarif);
  CHECK(options.metric == ComparisonMetric::total);
  CHECK(options.limit == 0);
  CHECK(options.output == "out");
  CHECK(options.fail_over == 2.5);
  CHECK(options.lines);
  CHECK(options.notes);
  CHECK(options.old_source == "o");
  CHECK(options.source_root == "r");
  CHECK(options.before.profiles == std::vector<std::string>{"a"});
  CHECK(options.after.profiles == std::vector<std::string>{"--json"});
  CHECK(diff_line.asks_for_help({"old", "-h"}));
}

TEST_CASE("diff refuses what makes no sense, naming it") {
  CHECK(diff_line.error({"--color", "o", "a", "--", "n", "b"}).find("--color") == 0);
  CHECK(diff_line.error({"--json=yes", "o", "a", "--", "n", "b"}).find("--json") == 0);
  CHECK(diff_line.error({"--limit=many", "o", "a", "--", "n", "b"}).find("--limit=many") == 0);
  CHECK(diff_line.error({"--limit=-1", "o", "a", "--", "n", "b"}).find("--limit=-1") == 0);
  CHECK(diff_line.error({"--fail-over=nan", "o", "a", "--", "n", "b"}).find("--fail-over") == 0);
  CHECK(diff_line.error({"--fail-over", "--", "n", "b"}).find("--fail-over needs") == 0);
  CHECK(diff_line.error({"o", "a"}).find("-- between") == 0);
  CHECK(diff_line.error({"o", "--", "n", "b"}).find("a profile of o") == 0);
  CHECK(diff_line.error({"o", "a", "--"}).find("the new side's executable") == 0);
  CHECK(diff_line.error({"o", "", "--", "n", "b"}).find("the old side") == 0);
}
