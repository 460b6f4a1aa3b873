// From the words of a command line to the part that does the work: help, versions and wrong words
// are handled here, in the same way for all commands.
//
// Thread contract: for the main thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "server/cli/option_table.h"

namespace gprof::lsp {

// Exit statuses, unless a command's help says otherwise.
inline constexpr int success_status = 0;
inline constexpr int failure_status = 1;
inline constexpr int usage_status = 2;

// Parses the words. Returns the exit status if there is nothing more to do.
[[nodiscard]] std::optional<int> answered_status(const CommandSyntax& syntax,
                                                 std::span<const std::string_view> words);

// Says on standard error, in one line, what is wrong: "gprof-lsp: COMMAND: MESSAGE". `command` is
// empty for the server.
void tell_of_command(std::string_view command, std::string_view message);

// Prints a text as it is. Returns the exit status.
[[nodiscard]] int print_text(std::string_view command, std::string_view text);

// The exit status of a command that wrote to standard output: `error` is 0 or errno. Says what went
// wrong, unless nobody is reading any more.
[[nodiscard]] int printed_status(std::string_view command, int error);

template <typename Options>
[[nodiscard]] int run_command(CommandSyntax (*make_syntax)(Options&), int (*run)(const Options&),
                              std::span<const std::string_view> words) {
  Options options;
  if (const auto status = answered_status(make_syntax(options), words)) return *status;
  return run(options);
}

}  // namespace gprof::lsp
