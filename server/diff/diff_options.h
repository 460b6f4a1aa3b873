// The command line of `gprof-lsp diff`.
//
// Thread contract: values and pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/comparison/comparison.h"
#include "server/cli/option_table.h"

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
[[nodiscard]] CommandSyntax diff_syntax(DiffOptions& options);

}  // namespace gprof::lsp
