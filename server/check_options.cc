#include "server/check_options.h"

#include <fmt/format.h>

namespace gprof::lsp {
namespace {

constexpr std::string_view config_option = "--config";

// The value of an option, which stands behind `=` or is the next word. None where it is missing.
std::optional<std::string> value_of(std::span<const std::string_view> words, std::size_t& at) {
  const std::string_view word = words[at];
  std::string_view value;
  if (word.size() > config_option.size()) {
    value = word.substr(config_option.size() + 1);
  } else if (at + 1 < words.size()) {
    value = words[++at];
  }
  if (value.empty()) return std::nullopt;
  return std::string(value);
}

}  // namespace

CheckCommandLine parse_check_options(std::span<const std::string_view> words) {
  CheckOptions options;
  bool has_directory = false;
  bool only_operands = false;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view word = words[at];
    if (!only_operands && word == "--") {
      only_operands = true;
    } else if (!only_operands && (word == "-h" || word == "--help")) {
      return HelpRequest{};
    } else if (!only_operands && (word == config_option || word.starts_with("--config="))) {
      auto value = value_of(words, at);
      if (!value) return UsageError{"--config needs a value"};
      options.configuration_file = std::move(*value);
    } else if (!only_operands && word.size() > 1 && word.front() == '-') {
      return UsageError{fmt::format("{} is no option; --help lists them", word)};
    } else if (word.empty()) {
      return UsageError{"the directory has no name"};
    } else if (has_directory) {
      return UsageError{fmt::format("{}: only one directory may be given", word)};
    } else {
      options.directory = word;
      has_directory = true;
    }
  }
  return options;
}

std::string_view check_help_text() {
  return R"(Says what the language server would find in a workspace, load and complain about.

Usage: gprof-lsp check [OPTION]... [DIR]

DIR is the workspace's folder; by default, the current directory.

  --config=FILE            settings, as a JSON object, as for the server
  -h, --help               print this text

The exit status is 0 if something would be shown and nothing failed, 1 if nothing would or
something failed, 2 if the command line is wrong.
)";
}

}  // namespace gprof::lsp
