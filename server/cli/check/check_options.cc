#include "server/cli/check/check_options.h"

namespace gprof::lsp {

CommandSyntax check_syntax(CheckOptions& options) {
  CommandSyntax syntax;
  syntax.name = "check";
  syntax.summary = "Say what the server would find in a workspace, load and complain about";
  syntax.usage = {"[OPTION]... [DIR]"};
  syntax.about = "DIR is the workspace's folder; by default, the current directory.";
  syntax.groups = {{"Options",
                    {{0, "config", file_value("FILE", options.configuration_file),
                      "settings, as a JSON object, as for the server",
                      "Without settings, programs and profiles are looked for in the workspace."},
                     help_option()}}};
  syntax.closing =
      "Exit status: 0 if something would be shown and nothing failed, 1 if nothing\n"
      "would or something failed, 2 if the command line is wrong.";
  syntax.operands = ValueKind::directory;
  syntax.finish = [&options](const Operands& operands) -> Expected<void> {
    if (operands.words.empty()) return {};
    if (operands.words.size() > 1) {
      return usage_error(fmt::format("{}: only one directory may be given", operands.words[1]));
    }
    options.directory = operands.words.front();
    if (options.directory.empty()) return usage_error("the directory has no name");
    return {};
  };
  return syntax;
}

}  // namespace gprof::lsp
