// The command line of `gprof-lsp diff`.
//
// Thread contract: pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/comparison/comparison.h"
#include "server/command_line.h"

namespace gprof::lsp {

// Executable and profiles, each profile a run.
struct DiffSide {
  std::string executable;
  std::vector<std::string> profiles;
};

enum class DiffFormat : std::uint8_t { text, json, sarif };

struct DiffOptions {
  DiffSide before;
  DiffSide after;
  DiffFormat format = DiffFormat::text;
  ComparisonMetric metric = ComparisonMetric::self;
  std::string output;               // empty: standard output
  std::optional<double> fail_over;  // percent
  std::size_t limit = 20;           // rows of the text; 0: all
  bool lines = false;
  bool notes = false;
  std::string old_source;
  std::string source_root;
};
using DiffCommandLine = std::variant<DiffOptions, HelpRequest, UsageError>;

// `words` without the name of the program and "diff".
[[nodiscard]] DiffCommandLine parse_diff_options(std::span<const std::string_view> words);
[[nodiscard]] std::string_view diff_help_text();

}  // namespace gprof::lsp
