// The command lines of `gprof-lsp record` and `gprof-lsp recover`.
#include "server/cli/record/record_options.h"

#include "server/cli/recover/recover_command.h"
#include "tests/unit/server/command_words.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace {

constexpr CommandWords<RecordOptions> record_line{record_syntax};
constexpr CommandWords<RecoverOptions> recover_line{recover_syntax};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("record's options stand before the program, which has the rest") {
  const RecordOptions plain = record_line.options({"prog", "--rate", "7", "--"});
  CHECK(plain.command == Texts{"prog", "--rate", "7", "--"});
  CHECK_FALSE(plain.rate);
  CHECK_FALSE(plain.runs);
  CHECK(plain.output.empty());

  const RecordOptions all = record_line.options(
      {"--rate", "250", "--stacks", "--live", "--runs=100", "--output", "some/dir", "--", "-odd"});
  CHECK(all.command == Texts{"-odd"});
  CHECK(all.rate == 250U);
  CHECK(all.runs == 100U);
  CHECK(all.stacks);
  CHECK(all.live);
  CHECK(all.output == "some/dir");

  CHECK(record_line.options({"--", "--"}).command == Texts{"--"});
  CHECK(record_line.options({"--", ""}).command == Texts{""});
  CHECK(record_line.options({"-"}).command == Texts{"-"});
  CHECK(record_line.options({"--rate=0", "prog"}).rate == 0U);
  CHECK(record_line.options({"--output=-x=y", "prog"}).output == "-x=y");
}

TEST_CASE("record samples a process in place of a program") {
  const RecordOptions attach = record_line.options({"--pid", "4242", "--time=2.5", "--no-stacks"});
  CHECK(attach.process == 4242U);
  CHECK(attach.seconds == 2.5);
  CHECK(attach.stacks == false);
  CHECK(attach.command.empty());
  CHECK(record_line.options({"--pid=1", "--time=0", "--rate=99"}).seconds == 0.0);
  CHECK(record_line.error({"--pid=1", "--", "prog"}) ==
        "--pid samples a process that runs already, and prog would be another: name one of them");
  for (const std::string_view option : {"--wait", "--live", "--runs=2", "--children=all"}) {
    INFO(option);
    const std::string name(option.substr(0, option.find('=')));
    CHECK(
        record_line.error({"--pid=1", option}).find(name + " is for programs that record starts") ==
        0);
  }
  CHECK(record_line.error({"--pid=1", "--rate=0"}) ==
        "--rate=0 is for programs that record starts, not for --pid: samples are all there is");
  CHECK(record_line.error({"--time=3", "prog"}) ==
        "--time is for --pid=N: a program that record starts runs to its end");
  for (const std::string_view number : {"", "0", "-1", "x", "2147483648", "1.5"}) {
    INFO(number);
    CHECK(record_line.error({"--pid", number}).find("--pid=") == 0);
  }
  for (const std::string_view seconds : {"", "-1", "nan", "86401", "inf", "1s"}) {
    INFO(seconds);
    CHECK(record_line.error({"--pid=1", "--time", seconds}).find("--time=") == 0);
  }
  CHECK(record_line.options({"prog"}).children == std::nullopt);
}

TEST_CASE("record's wrong command lines are named") {
  CHECK(record_line.error({}).find("a program to run is missing") == 0);
  CHECK(record_line.error({"--"}).find("a program to run is missing") == 0);
  CHECK(record_line.error({"--stack", "prog"}) ==
        "--stack is not an option; did you mean --stacks?");
  CHECK(record_line.error({"-x", "prog"}) == "-x is not an option; --help lists them");
  CHECK(record_line.error({"--live=yes", "prog"}) == "--live takes no value");
  CHECK(record_line.error({"--output=", "prog"}) == "--output needs the name of a directory");
  CHECK(record_line.error({"--output"}) == "--output needs a value");
  CHECK(record_line.error({"--output", "--", "prog"}) == "--output needs a value");
  for (const std::string_view rate : {"", "x", "1x", "-1", "+1", "1.5", "20001", "99999999999"}) {
    INFO(rate);
    CHECK(record_line.error({"--rate", rate, "prog"}).find("--rate=") == 0);
  }
  CHECK_FALSE(record_line.error({"--runs=0", "prog"}).empty());
  CHECK(record_line.error({"--rate=20000", "--runs=1000000", "prog"}).empty());
  CHECK(record_line.asks_for_help({"--help"}));
  CHECK(record_line.asks_for_help({"--live", "-h", "--no-such"}));
  CHECK_FALSE(record_line.asks_for_help({"prog", "--help"}));
  CHECK_FALSE(record_line.asks_for_help({"--no-such", "--help"}));
}

TEST_CASE("recover takes directories alone") {
  CHECK(recover_line.options({"a", "--", "-b"}).directories == Texts{"a", "-b"});
  CHECK_FALSE(recover_line.error({}).empty());
  CHECK_FALSE(recover_line.error({"--all", "a"}).empty());
  CHECK_FALSE(recover_line.error({""}).empty());
  CHECK(recover_line.asks_for_help({"a", "--help"}));
}
