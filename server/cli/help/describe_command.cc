#include "server/cli/help/describe_command.h"

#include <iostream>
#include <iterator>
#include <string>

#include "server/cli/command_list.h"
#include "server/cli/completions.h"
#include "server/cli/manual_page.h"
#include "server/cli/run_command.h"

namespace gprof::lsp {
namespace {

Expected<std::string> described_text(Description what) {
  const auto commands = command_syntaxes();
  switch (what) {
    case Description::bash:
      return bash_completion(commands);
    case Description::zsh:
      return zsh_completion(commands);
    case Description::fish:
      return fish_completion(commands);
    case Description::manual:
      break;
  }
  const std::string page(std::istreambuf_iterator<char>(std::cin), {});
  return filled_manual_page(page, commands);
}

}  // namespace

int run_describe(const DescribeOptions& options) {
  const auto text = described_text(options.what);
  if (text) return print_text("describe", *text);
  tell_of_command("describe", text.error().message);
  return failure_status;
}

CommandSyntax describe_syntax(DescribeOptions& options) {
  CommandSyntax syntax;
  syntax.name = "describe";
  syntax.summary = "Write completions, or fill in a manual page (internal: for the build alone)";
  syntax.usage = {"--as=FORMAT"};
  syntax.about = "The manual page is read from standard input.";
  syntax.groups = {{"Options",
                    {{0, "as",
                      choice_value<Description>("", options.what,
                                                {{"manual", Description::manual},
                                                 {"bash", Description::bash},
                                                 {"zsh", Description::zsh},
                                                 {"fish", Description::fish}}),
                      "what to write"},
                     help_option()}}};
  return syntax;
}

}  // namespace gprof::lsp
