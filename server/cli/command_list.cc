#include "server/cli/command_list.h"

#include <algorithm>

#include "server/cli/check/check_command.h"
#include "server/cli/diff/diff_command.h"
#include "server/cli/export/export_command.h"
#include "server/cli/help/describe_command.h"
#include "server/cli/help/help_command.h"
#include "server/cli/mcp/mcp_command.h"
#include "server/cli/query/query_command.h"
#include "server/cli/record/record_command.h"
#include "server/cli/recover/recover_command.h"
#include "server/cli/report/report_command.h"
#include "server/cli/report/report_options.h"
#include "server/cli/run_command.h"
#include "server/cli/serve/serve_command.h"
#include "server/cli/serve/serve_options.h"
#include "server/system/memory_limit.h"

namespace gprof::lsp {
namespace {

// A table without a struct to fill.
template <typename Options>
CommandSyntax described(CommandSyntax (*make_syntax)(Options&)) {
  Options options;
  return make_syntax(options);
}

enum class Nature : std::uint8_t {
  plain,
  reader,    // reads profiles and prints, and starts no program, which would inherit a memory limit
  internal,  // for builds, not for users
};

struct ListedCommand {
  CommandSyntax (*describe)();
  // Returns the exit status.
  int (*run)(std::span<const std::string_view> words);
  Nature nature = Nature::plain;
};

template <typename Options, CommandSyntax (*make_syntax)(Options&), int (*run)(const Options&)>
constexpr ListedCommand command_of(Nature nature = Nature::plain) {
  return {
      [] { return described(make_syntax); },
      [](std::span<const std::string_view> words) { return run_command(make_syntax, run, words); },
      nature};
}

constexpr ListedCommand every_command[] = {
    {[] { return described(report_syntax); }, run_report, Nature::reader},
    command_of<RecordOptions, record_syntax, run_record>(),
    command_of<RecoverOptions, recover_syntax, run_recover>(),
    command_of<CheckOptions, check_syntax, run_check>(Nature::reader),
    command_of<ExportOptions, export_syntax, run_export>(Nature::reader),
    command_of<DiffOptions, diff_syntax, run_diff>(Nature::reader),
    {[] { return described(query_syntax); }, run_query},
    command_of<McpCommandOptions, mcp_syntax, run_mcp>(),
    command_of<HelpOptions, help_syntax, run_help>(),
    command_of<DescribeOptions, describe_syntax, run_describe>(Nature::internal),
};

CommandSyntax server_syntax(ServeOptions& options) {
  CommandSyntax syntax = serve_syntax(options);
  for (const ListedCommand& command : every_command) {
    if (command.nature == Nature::internal) continue;
    const CommandSyntax described = command.describe();
    syntax.commands.push_back({described.name, described.summary});
  }
  return syntax;
}

}  // namespace

std::vector<CommandSyntax> command_syntaxes() {
  std::vector<CommandSyntax> syntaxes = {described(server_syntax)};
  for (const ListedCommand& command : every_command) {
    if (command.nature != Nature::internal) syntaxes.push_back(command.describe());
  }
  return syntaxes;
}

int run_command_line(std::span<const std::string_view> words) {
  if (!words.empty() && !words.front().starts_with('-')) {
    for (const ListedCommand& command : every_command) {
      if (command.describe().name != words.front()) continue;
      if (command.nature == Nature::reader) {
        heed_group_memory_limit();
        return_freed_memory();
      }
      return command.run(words.subspan(1));
    }
  }
  return run_command(server_syntax, run_server, words);
}

}  // namespace gprof::lsp
