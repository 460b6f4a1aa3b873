// The command line of `gprof-lsp record`.
//
// Thread contract: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/cli/option_table.h"

namespace gprof::lsp {

inline constexpr std::uint32_t most_samples_a_second = 20000;
inline constexpr std::uint32_t most_runs = 1000000;
inline constexpr double max_attached_seconds = 86400;

// Whose profiles are kept.
enum class Children : std::uint8_t { all, own, none };

struct RecordOptions {
  std::optional<std::uint32_t> rate;  // samples a second of CPU time; 0: none
  std::optional<bool> stacks;         // none: GPROF_STACKS if it is set, else kept
  std::optional<Children> children;
  bool waits = false;
  bool live = false;
  bool keep_executable = false;
  std::optional<std::uint32_t> runs;  // at least 1
  std::string output;                 // a directory; empty: the current one
  std::string summary;                // a file; empty: none
  std::vector<std::string> command;   // the program and its arguments; empty with `process`
  // A running process to sample instead of starting a program, and for how long.
  std::optional<std::uint32_t> process;
  std::optional<double> seconds;  // 0: until it is interrupted
};
[[nodiscard]] CommandSyntax record_syntax(RecordOptions& options);

}  // namespace gprof::lsp
