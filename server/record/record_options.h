// The command lines of `gprof-lsp record` and `gprof-lsp recover`.
//
// Ownership: results own their texts. Thread contract: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/command_line.h"

namespace gprof::lsp {

inline constexpr std::uint32_t most_samples_a_second = 20000;
inline constexpr std::uint32_t most_runs = 1000000;

struct RecordOptions {
  std::optional<std::uint32_t> rate;  // samples a second of CPU time; 0: none
  bool stacks = false;
  bool live = false;
  std::optional<std::uint32_t> runs;  // at least 1
  std::string output;                 // a directory; empty: the current one
  std::vector<std::string> command;   // the program and its arguments; never empty
};
using RecordCommandLine = std::variant<RecordOptions, HelpRequest, UsageError>;

// `words` without the name of the program and "record". What comes first on the line counts.
[[nodiscard]] RecordCommandLine parse_record_options(std::span<const std::string_view> words);
[[nodiscard]] std::string_view record_help_text();

struct RecoverOptions {
  std::vector<std::string> directories;  // never empty
};
using RecoverCommandLine = std::variant<RecoverOptions, HelpRequest, UsageError>;

// `words` without the name of the program and "recover".
[[nodiscard]] RecoverCommandLine parse_recover_options(std::span<const std::string_view> words);
[[nodiscard]] std::string_view recover_help_text();

}  // namespace gprof::lsp
