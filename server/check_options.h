// The command line of `gprof-lsp check`.
//
// Thread contract: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "server/command_line.h"

namespace gprof::lsp {

struct CheckOptions {
  std::string directory = ".";
  std::string configuration_file;  // empty: none
};
using CheckCommandLine = std::variant<CheckOptions, HelpRequest, UsageError>;

// `words` without the name of the program and "check".
[[nodiscard]] CheckCommandLine parse_check_options(std::span<const std::string_view> words);
[[nodiscard]] std::string_view check_help_text();

}  // namespace gprof::lsp
