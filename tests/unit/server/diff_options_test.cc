#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/cli/diff/diff_command.h"
#include "server/cli/option_parser.h"

using namespace gprof;
using namespace gprof::lsp;

namespace {

using Words = std::vector<std::string_view>;

DiffOptions options_of(const Words& words) {
  const auto command = parse_line(diff_syntax, words);
  if (const auto* error = std::get_if<UsageError>(&command)) FAIL(error->message);
  REQUIRE(std::holds_alternative<DiffOptions>(command));
  return *std::get_if<DiffOptions>(&command);
}

std::string error_of(const Words& words) {
  const auto command = parse_line(diff_syntax, words);
  const auto* error = std::get_if<UsageError>(&command);
  return error == nullptr ? "" : error->message;
}

}  // namespace

TEST_CASE("diff takes two sides, each with its runs") {
  const DiffOptions options = options_of({"old", "a", "b", "--", "new", "c"});
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
      options_of({"--format=sarif", "--metric", "total", "old", "--limit=0", "a", "-o", "out",
                  "--fail-over=2.5%", "--lines", "--notes", "--old-source=o", "--source-root", "r",
                  "--", "new", "--json"});
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
  CHECK(std::holds_alternative<HelpRequest>(parse_line(diff_syntax, Words{"old", "-h"})));
}

TEST_CASE("diff refuses what makes no sense, naming it") {
  CHECK(error_of({"--color", "o", "a", "--", "n", "b"}).find("--color") == 0);
  CHECK(error_of({"--json=yes", "o", "a", "--", "n", "b"}).find("--json") == 0);
  CHECK(error_of({"--limit=many", "o", "a", "--", "n", "b"}).find("--limit=many") == 0);
  CHECK(error_of({"--limit=-1", "o", "a", "--", "n", "b"}).find("--limit=-1") == 0);
  CHECK(error_of({"--fail-over=nan", "o", "a", "--", "n", "b"}).find("--fail-over") == 0);
  CHECK(error_of({"--fail-over", "--", "n", "b"}).find("--fail-over needs") == 0);
  CHECK(error_of({"o", "a"}).find("-- between") == 0);
  CHECK(error_of({"o", "--", "n", "b"}).find("a profile of o") == 0);
  CHECK(error_of({"o", "a", "--"}).find("the new side's executable") == 0);
  CHECK(error_of({"o", "", "--", "n", "b"}).find("the old side") == 0);
}
