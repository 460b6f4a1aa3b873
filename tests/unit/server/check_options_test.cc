#include "server/cli/check/check_command.h"
#include "tests/unit/server/command_words.h"

using namespace gprof::lsp;
using namespace gprof::test;

namespace {

constexpr CommandWords<CheckOptions> check_line{check_syntax};

}  // namespace

TEST_CASE("check takes a directory and settings") {
  CHECK(check_line.options({}).directory == ".");
  CHECK(check_line.options({"/w"}).directory == "/w");
  CHECK(check_line.options({"--config=c.json", "/w"}).configuration_file == "c.json");
  CHECK(check_line.options({"/w", "--config", "c.json"}).configuration_file == "c.json");
  CHECK(check_line.options({"--", "--config"}).directory == "--config");
  CHECK(check_line.asks_for_help({"--help"}));
  CHECK(check_line.asks_for_help({"/w", "-h"}));
}

TEST_CASE("check refuses what makes no sense, naming it") {
  CHECK(check_line.error({"--colour"}).find("--colour") == 0);
  CHECK(check_line.error({"--configure=x"}).find("--configure") == 0);
  CHECK(check_line.error({"--config"}).find("--config") == 0);
  CHECK(check_line.error({"--config="}).find("--config") == 0);
  CHECK(check_line.error({"a", "b"}).find("b: ") == 0);
  CHECK_FALSE(check_line.error({""}).empty());
}
