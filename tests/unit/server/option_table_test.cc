// An option needs just one row: the parser, help, manual page and completions use it.
#include "server/cli/option_table.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "server/cli/completions.h"
#include "server/cli/manual_page.h"
#include "server/cli/option_help.h"
#include "tests/unit/server/command_words.h"

using namespace gprof;
using namespace gprof::lsp;
using namespace gprof::test;

namespace {

enum class Colour { red, green };

struct PaintOptions {
  int coats = 1;
  double share = 0;
  bool dry = false;
  Colour colour = Colour::red;
  std::string output;
  std::vector<std::string> walls;
};

CommandSyntax paint_syntax(PaintOptions& options) {
  CommandSyntax syntax;
  syntax.name = "paint";
  syntax.summary = "Paint walls";
  syntax.usage = {"[OPTION]... WALL..."};
  syntax.groups = {
      {"Options",
       {{'c', "coats", number_value("N", options.coats, 1, 9), "how many; it dries between them",
         "N coats of paint."},
        {0, "share", number_value("SHARE", options.share, 0.0, 1.0, "a share"), "how much of it"},
        {'d', "dry-run", flag(options.dry), "paint nothing"},
        {0, "colour",
         choice_value<Colour>("WHICH", options.colour,
                              {{"red", Colour::red, "as roses"}, {"green", Colour::green}},
                              Colour::green),
         "what it's to be like"},
        {'o', "output", file_value("FILE", options.output), "where to [write] it"},
        help_option(),
        version_option('V')}}};
  syntax.finish = [&options](const Operands& operands) -> Expected<void> {
    options.walls.assign(operands.words.begin(), operands.words.end());
    if (options.walls.size() > 3) return usage_error("too many walls");
    return {};
  };
  return syntax;
}
CommandSyntax exterior_syntax(PaintOptions& options) {
  CommandSyntax syntax = paint_syntax(options);
  syntax.order = WordOrder::leading;
  return syntax;
}
CommandSyntax gnu_syntax(PaintOptions& options) {
  CommandSyntax syntax = paint_syntax(options);
  syntax.order = WordOrder::getopt;
  return syntax;
}

constexpr CommandWords<PaintOptions> paint_line{paint_syntax};
constexpr CommandWords<PaintOptions> exterior_line{exterior_syntax};
constexpr CommandWords<PaintOptions> gnu_line{gnu_syntax};

bool holds(const std::string& text, std::string_view part) {
  INFO(text);
  INFO(part);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("options: a row is read in every spelling") {
  for (const Words& words :
       std::vector<Words>{{"-c3"}, {"-c", "3"}, {"--coats=3"}, {"--coats", "3"}}) {
    CHECK(paint_line.options(words).coats == 3);
  }
  const auto options =
      paint_line.options({"a", "-dc2", "--colour", "b", "-ox", "--share=.5", "--", "-d"});
  CHECK(options.dry);
  CHECK(options.coats == 2);
  CHECK(options.colour == Colour::green);
  CHECK(options.output == "x");
  CHECK(options.share == 0.5);
  CHECK(options.walls == std::vector<std::string>{"a", "b", "-d"});
  CHECK(paint_line.options({"--colour=red"}).colour == Colour::red);
  CHECK(exterior_line.options({"-d", "a", "-c2"}).walls == std::vector<std::string>{"a", "-c2"});
  CHECK(paint_line.asks_for_help({"-dh", "--no-such"}));
  CHECK(std::holds_alternative<VersionRequest>(paint_line.parse({"-V"})));
}

TEST_CASE("options: getopt's habits are for those who ask for them") {
  CHECK(gnu_line.options({"--dry", "--coa=2", "-o", "--"}).output == "--");
  CHECK(paint_line.error({"--coa=2"}) == "--coa is not an option; did you mean --coats?");
  CHECK(paint_line.error({"-o", "--"}) == "-o/--output needs a value");
  CHECK(gnu_line.error({"--", "--co"}).empty());
  CHECK(gnu_line.error({"--co"}) == "--co may mean --coats, --colour; write more of it");
}

TEST_CASE("options: an error names the option, the value and what was expected") {
  CHECK(paint_line.error({"--coats=10"}) == "-c/--coats=10: expected a number from 1 to 9");
  CHECK(paint_line.error({"-c", "2x"}) == "-c/--coats=2x: expected a number from 1 to 9");
  CHECK(paint_line.error({"--share=nan"}) == "--share=nan: expected a share");
  CHECK(paint_line.error({"--colour=blue"}) == "--colour=blue: expected red or green");
  CHECK(paint_line.error({"--colour="}) == "--colour=: expected red or green");
  CHECK(paint_line.error({"--output="}) == "-o/--output needs the name of a file");
  CHECK(paint_line.error({"-c"}) == "-c/--coats needs a value");
  CHECK(paint_line.error({"--dry-run=yes"}) == "--dry-run takes no value");
  CHECK(paint_line.error({"-x"}) == "-x is not an option; --help lists them");
  CHECK(paint_line.error({"--wet"}) == "--wet is not an option; --help lists them");
  CHECK(paint_line.error({"--", "a", "b", "c", "d"}) == "too many walls");
  CHECK(paint_line.error({"--", "--", "-x"}).empty());
}

TEST_CASE("options: help, manual page and completions have every row") {
  PaintOptions options;
  const CommandSyntax syntax = paint_syntax(options);
  const std::string help = help_text(syntax);
  holds(help, "Usage: gprof-lsp paint [OPTION]... WALL...\n\nPaint walls.\n");
  holds(help, "\n  -c, --coats=N              how many; it dries between them\n");
  holds(help, "\n      --share=SHARE          how much of it\n");
  holds(help,
        "\n      --colour[=WHICH]       what it's to be like\n"
        "      --colour=red           as roses\n");

  const std::string page = manual_options(syntax);
  holds(page,
        ".TP\n\\fB\\-c\\fR \\fIN\\fR, \\fB\\-\\-coats\\fR=\\fIN\\fR\n"
        "How many; it dries between them. \\fIN\\fR coats of paint.\n");
  holds(page, ".TP\n\\fB\\-\\-colour\\fR[=\\fIWHICH\\fR]\nWhat it's to be like.\n");
  holds(manual_synopsis(syntax), "\\fBgprof\\-lsp paint\\fR [\\fIOPTION\\fR]... \\fIWALL\\fR...\n");

  PaintOptions other;
  CommandSyntax server = paint_syntax(other);
  server.name = "";
  const std::vector<CommandSyntax> commands = {server, syntax};
  const std::string bash = bash_completion(commands);
  holds(bash, "'paint -c' | 'paint --coats' | 'paint --coats=') candidates=''");
  holds(bash, "'paint --colour=') candidates='red green'");
  holds(bash,
        "'paint') options='-c --coats= --share= -d --dry-run --colour -o --output= -h --help "
        "-V --version'");
  const std::string zsh = zsh_completion(commands);
  holds(zsh, "'*'{-c+,--coats=}'[how many]:N: '");
  holds(zsh, "'*'--colour=-'[what it'\\''s to be like]::WHICH:(red green)'");
  holds(zsh, "'*'{-o+,--output=}'[where to \\[write\\] it]:FILE:_files'");
  const std::string fish = fish_completion(commands);
  holds(fish, "-n '__gprof_lsp_is paint' -s c -l coats -x -d 'how many'");
  holds(fish, "-n '__gprof_lsp_is paint' -l colour -a 'red green' -d 'what it\\'s to be like'");
  holds(fish, "-n '__gprof_lsp_is paint' -s o -l output -r -F -d");
}

TEST_CASE("manual pages: what a template asks for has to be known") {
  PaintOptions options;
  const std::vector<CommandSyntax> commands = {paint_syntax(options)};
  const auto page = filled_manual_page(".TH X\n@options paint@\nend", commands);
  REQUIRE(page);
  CHECK(page->starts_with(".TH X\n.TP\n"));
  CHECK(page->ends_with("\nend\n"));
  for (const std::string_view wrong : {"@options none@", "@optoins paint@", "@", "@options"}) {
    CAPTURE(wrong);
    const auto refused = filled_manual_page(wrong, commands);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.starts_with(wrong));
  }
}
