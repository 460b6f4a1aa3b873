#include "server/check_options.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "test_paths.h"

using namespace gprof::lsp;

namespace {

using Words = std::vector<std::string_view>;

CheckOptions options_of(const Words& words) {
  const CheckCommandLine command = parse_check_options(words);
  if (const auto* error = std::get_if<UsageError>(&command)) FAIL(error->message);
  REQUIRE(std::holds_alternative<CheckOptions>(command));
  return *std::get_if<CheckOptions>(&command);
}

std::string error_of(const Words& words) {
  const CheckCommandLine command = parse_check_options(words);
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
  CHECK(std::holds_alternative<HelpRequest>(parse_check_options(Words{"--help"})));
  CHECK(std::holds_alternative<HelpRequest>(parse_check_options(Words{"/w", "-h"})));
}

TEST_CASE("check refuses what makes no sense, naming it") {
  CHECK(error_of({"--colour"}).find("--colour") == 0);
  CHECK(error_of({"--configure=x"}).find("--configure") == 0);
  CHECK(error_of({"--config"}).find("--config") == 0);
  CHECK(error_of({"--config="}).find("--config") == 0);
  CHECK(error_of({"a", "b"}).find("b: ") == 0);
  CHECK_FALSE(error_of({""}).empty());
}

TEST_CASE("check's help and manual page tell of its options") {
  const auto root = std::filesystem::path(GPROF_LSP_TEST_PROGRAMS).parent_path().parent_path();
  std::ifstream in(root / "docs" / "gprof-lsp-check.1");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  for (const std::string name : {"config", "help"}) {
    CAPTURE(name);
    CHECK(check_help_text().find("--" + name) != std::string_view::npos);
    CHECK(page.find("\\fB\\-\\-" + name + "\\fR") != std::string::npos);
  }
}
