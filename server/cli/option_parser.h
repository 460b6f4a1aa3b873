// The one reader of command lines.
//
// Thread contract: pure functions, apart from what setters do.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "server/cli/option_table.h"

namespace gprof::lsp {

struct HelpRequest {};
struct VersionRequest {};
// One sentence that names the argument and what was expected.
struct UsageError {
  std::string message;
};
using ParsedWords = std::variant<std::monostate, HelpRequest, VersionRequest, UsageError>;

// Passes the words after the command's name to the setters of the table, in order. What comes first
// counts: a wrong word before --help is an error, one after it is not.
[[nodiscard]] ParsedWords parse_words(const CommandSyntax& syntax,
                                      std::span<const std::string_view> words);

// "-o/--output".
[[nodiscard]] std::string spelled(const OptionRow& row);

// The same words, as the struct that a table fills.
template <typename Options>
using ParsedLine = std::variant<Options, HelpRequest, VersionRequest, UsageError>;

template <typename Options>
[[nodiscard]] ParsedLine<Options> parse_line(CommandSyntax (*make_syntax)(Options&),
                                             std::span<const std::string_view> words) {
  Options options;
  ParsedWords parsed = parse_words(make_syntax(options), words);
  if (auto* error = std::get_if<UsageError>(&parsed)) return std::move(*error);
  if (std::holds_alternative<HelpRequest>(parsed)) return HelpRequest{};
  if (std::holds_alternative<VersionRequest>(parsed)) return VersionRequest{};
  return options;
}

}  // namespace gprof::lsp
