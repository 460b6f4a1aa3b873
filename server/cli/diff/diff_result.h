// The result of `gprof-lsp diff`, which all output formats are written from.
//
// Ownership: owns the comparison. Thread contract: plain values and pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/comparison/comparison.h"
#include "server/cli/diff/diff_options.h"
#include "server/features/compared_functions.h"

namespace gprof::lsp {

// A line that exists in both builds.
struct ComparedLine {
  std::string file;  // as the new build names it
  LineNumber before = 0;
  LineNumber after = 0;
  TimeChange self;
};

struct DiffResult {
  Comparison comparison;
  DiffOptions options;
  std::vector<ComparedLine> lines;  // ranked as functions are
  // Caveats about the comparison, one sentence each.
  std::vector<std::string> remarks;
};

// A function's change by the metric, as the gate sees it.
struct GateFailure {
  const ComparedFunction* function = nullptr;  // null: the whole program
  double percent = 0;                          // of the program's time, or calls, before
};

// What exceeds --fail-over, in ranking order, the program first. Empty without the option.
[[nodiscard]] std::vector<GateFailure> gate_failures(const DiffResult& result);

// 0, or 1 if there are such failures.
[[nodiscard]] int exit_status(const DiffResult& result);

[[nodiscard]] std::string diff_text(const DiffResult& result);
[[nodiscard]] std::string diff_json(const DiffResult& result);
// `root` is absolute.
[[nodiscard]] std::string diff_sarif(const DiffResult& result, const std::string& root);

}  // namespace gprof::lsp
