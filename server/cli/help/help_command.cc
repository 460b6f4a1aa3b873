#include "server/cli/help/help_command.h"

#include <algorithm>

#include "server/cli/command_list.h"
#include "server/cli/option_help.h"
#include "server/cli/run_command.h"

namespace gprof::lsp {

int run_help(const HelpOptions& options) {
  const auto syntaxes = command_syntaxes();
  const auto found = std::ranges::find(syntaxes, options.command, &CommandSyntax::name);
  if (found != syntaxes.end()) return print_text("help", help_text(*found));
  tell_of_command("help",
                  fmt::format("{} is not a command; gprof-lsp help lists them", options.command));
  return usage_status;
}

CommandSyntax help_syntax(HelpOptions& options) {
  CommandSyntax syntax;
  syntax.name = "help";
  syntax.summary = "Show what a command does, and its options";
  syntax.usage = {"[COMMAND]"};
  syntax.about = "Without COMMAND, for the server, with a list of the commands.";
  syntax.groups = {{"Options", {help_option()}}};
  syntax.operands = ValueKind::command;
  syntax.finish = [&options](const Operands& operands) -> Expected<void> {
    if (operands.words.size() > 1) {
      return usage_error(fmt::format("{}: only one command may be given", operands.words[1]));
    }
    if (!operands.words.empty()) options.command = operands.words.front();
    return {};
  };
  return syntax;
}

}  // namespace gprof::lsp
