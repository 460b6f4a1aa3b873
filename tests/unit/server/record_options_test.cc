// The command lines of `gprof-lsp record` and `gprof-lsp recover`.
#include "server/cli/record/record_options.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/cli/option_parser.h"
#include "server/cli/recover/recover_command.h"

using namespace gprof;
using namespace gprof::lsp;

namespace {

using Words = std::vector<std::string_view>;

RecordOptions options_of(const Words& words) {
  const auto command = parse_line(record_syntax, words);
  if (const auto* error = std::get_if<UsageError>(&command)) FAIL(error->message);
  REQUIRE(std::holds_alternative<RecordOptions>(command));
  return *std::get_if<RecordOptions>(&command);
}

std::string error_of(const Words& words) {
  const auto command = parse_line(record_syntax, words);
  const auto* error = std::get_if<UsageError>(&command);
  return error == nullptr ? "" : error->message;
}

bool asks_for_help(const Words& words) {
  return std::holds_alternative<HelpRequest>(parse_line(record_syntax, words));
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("record's options stand before the program, which has the rest") {
  const RecordOptions plain = options_of({"prog", "--rate", "7", "--"});
  CHECK(plain.command == Texts{"prog", "--rate", "7", "--"});
  CHECK_FALSE(plain.rate);
  CHECK_FALSE(plain.runs);
  CHECK(plain.output.empty());

  const RecordOptions all = options_of(
      {"--rate", "250", "--stacks", "--live", "--runs=100", "--output", "some/dir", "--", "-odd"});
  CHECK(all.command == Texts{"-odd"});
  CHECK(all.rate == 250U);
  CHECK(all.runs == 100U);
  CHECK(all.stacks);
  CHECK(all.live);
  CHECK(all.output == "some/dir");

  CHECK(options_of({"--", "--"}).command == Texts{"--"});
  CHECK(options_of({"--", ""}).command == Texts{""});
  CHECK(options_of({"-"}).command == Texts{"-"});
  CHECK(options_of({"--rate=0", "prog"}).rate == 0U);
  CHECK(options_of({"--output=-x=y", "prog"}).output == "-x=y");
}

TEST_CASE("record's wrong command lines are named") {
  CHECK(error_of({}).find("a program to run is missing") == 0);
  CHECK(error_of({"--"}).find("a program to run is missing") == 0);
  CHECK(error_of({"--stack", "prog"}) == "--stack is no option; did you mean --stacks?");
  CHECK(error_of({"-x", "prog"}) == "-x is no option; --help lists them");
  CHECK(error_of({"--live=yes", "prog"}) == "--live takes no value");
  CHECK(error_of({"--output=", "prog"}) == "--output needs the name of a directory");
  CHECK(error_of({"--output"}) == "--output needs a value");
  CHECK(error_of({"--output", "--", "prog"}) == "--output needs a value");
  for (const std::string_view rate : {"", "x", "1x", "-1", "+1", "1.5", "20001", "99999999999"}) {
    INFO(rate);
    CHECK(error_of({"--rate", rate, "prog"}).find("--rate=") == 0);
  }
  CHECK_FALSE(error_of({"--runs=0", "prog"}).empty());
  CHECK(error_of({"--rate=20000", "--runs=1000000", "prog"}).empty());
  CHECK(asks_for_help({"--help"}));
  CHECK(asks_for_help({"--live", "-h", "--no-such"}));
  CHECK_FALSE(asks_for_help({"prog", "--help"}));
  CHECK_FALSE(asks_for_help({"--no-such", "--help"}));
}

TEST_CASE("recover takes directories alone") {
  const auto directories_of = [](const Words& words) {
    const auto command = parse_line(recover_syntax, words);
    const auto* options = std::get_if<RecoverOptions>(&command);
    return options == nullptr ? Texts{} : options->directories;
  };
  CHECK(directories_of({"a", "--", "-b"}) == Texts{"a", "-b"});
  CHECK(directories_of({}).empty());
  CHECK(directories_of({"--all", "a"}).empty());
  CHECK(directories_of({""}).empty());
  CHECK(std::holds_alternative<HelpRequest>(parse_line(recover_syntax, Words{"a", "--help"})));
}
