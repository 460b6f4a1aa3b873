#include "server/cli/run_command.h"

#include <cerrno>
#include <string>
#include <system_error>
#include <variant>

#include <fmt/format.h>
#include <unistd.h>

#include "server/cli/option_help.h"
#include "server/cli/option_parser.h"
#include "server/system/new_file.h"
#include "server/text/shown_text.h"

namespace gprof::lsp {
namespace {

// What a shell reports for a process that SIGPIPE ended.
constexpr int broken_pipe_status = 128 + 13;

}  // namespace

void tell_of_command(std::string_view command, std::string_view message) {
  const std::string line = fmt::format("gprof-lsp: {}{}{}\n", command, command.empty() ? "" : ": ",
                                       on_one_line(message));
  // Nobody is left to read an error.
  static_cast<void>(write_bytes(STDERR_FILENO, line));
}

int printed_status(std::string_view command, int error) {
  if (error == 0) return success_status;
  if (error == EPIPE) return broken_pipe_status;
  tell_of_command(command,
                  fmt::format("standard output: {}", std::system_category().message(error)));
  return failure_status;
}

int print_text(std::string_view command, std::string_view text) {
  return printed_status(command, write_bytes(STDOUT_FILENO, text));
}

std::optional<int> answered_status(const CommandSyntax& syntax,
                                   std::span<const std::string_view> words) {
  const ParsedWords parsed = parse_words(syntax, words);
  if (const auto* error = std::get_if<UsageError>(&parsed)) {
    tell_of_command(syntax.name, error->message);
    return syntax.usage_status;
  }
  if (std::holds_alternative<HelpRequest>(parsed)) {
    return print_text(syntax.name, help_text(syntax));
  }
  if (std::holds_alternative<VersionRequest>(parsed)) {
    return print_text(syntax.name, fmt::format("gprof-lsp{}{} {}\n", syntax.name.empty() ? "" : " ",
                                               syntax.name, GPROF_LSP_VERSION));
  }
  return std::nullopt;
}

}  // namespace gprof::lsp
