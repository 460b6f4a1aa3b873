#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/cli/check/check_command.h"
#include "server/cli/option_parser.h"

using namespace gprof::lsp;

namespace {

using Words = std::vector<std::string_view>;

CheckOptions options_of(const Words& words) {
  const auto command = parse_line(check_syntax, words);
  if (const auto* error = std::get_if<UsageError>(&command)) FAIL(error->message);
  REQUIRE(std::holds_alternative<CheckOptions>(command));
  return *std::get_if<CheckOptions>(&command);
}

std::string error_of(const Words& words) {
  const auto command = parse_line(check_syntax, words);
  const auto* error = std::get_if<UsageError>(&command);
  return error == nullptr ? "" : error->message;
}

}  // namespace

TEST_CASE("check takes a directory and settings") {
  CHECK(options_of({}).directory == ".");
  CHECK(options_of({"/w"}).directory == "/w");
  CHECK(options_of({"--config=c.json", "/w"}).configuration_file == "c.json");
  CHECK(options_of({"/w", "--config", "c.json"}).configuration_file == "c.json");
  CHECK(options_of({"--", "--config"}).directory == "--config");
  CHECK(std::holds_alternative<HelpRequest>(parse_line(check_syntax, Words{"--help"})));
  CHECK(std::holds_alternative<HelpRequest>(parse_line(check_syntax, Words{"/w", "-h"})));
}

TEST_CASE("check refuses what makes no sense, naming it") {
  CHECK(error_of({"--colour"}).find("--colour") == 0);
  CHECK(error_of({"--configure=x"}).find("--configure") == 0);
  CHECK(error_of({"--config"}).find("--config") == 0);
  CHECK(error_of({"--config="}).find("--config") == 0);
  CHECK(error_of({"a", "b"}).find("b: ") == 0);
  CHECK_FALSE(error_of({""}).empty());
}
