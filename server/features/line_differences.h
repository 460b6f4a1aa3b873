// Compares the lines of a file with the same lines of the base: those that are in the present text
// and certainly have the text compiled in both builds.
//
// Times are per run, seconds stand for the profile's own unit; lines are those of the shown build.
// The statistic is that of functions: run by run, with the speeds of the runs and the drift that
// the program's other functions tell (Comparison::conditions()). Where the runs were too large to
// be kept, their sum counts as one run sampled more often, and how much runs vary is not in the
// errors. All lines of the file are judged together, self times and totals each by themselves.
// Totals are compared where both sides have stacks, and inlined code counts where the view counts
// it: what is compared is what stands on the line.
// Ownership: plain values. Thread contract: pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "engine/comparison/time_change.h"
#include "server/features/file_view.h"

namespace gprof::lsp {

struct LineDifference {
  std::optional<TimeChange> self;   // none without times
  std::optional<TimeChange> total;  // none unless both sides were measured
  // Per run, on both sides; none if either side has none.
  std::optional<double> executions_before;
  std::optional<double> executions_after;
};

class LineDifferences {
 public:
  // Empty if the view has no base.
  explicit LineDifferences(const FileView& view);

  // Null if the line is not compared. Lives as long as this: not to be asked of a temporary.
  [[nodiscard]] const LineDifference* of(LineNumber build_line) const&;
  const LineDifference* of(LineNumber build_line) && = delete;

 private:
  std::map<LineNumber, LineDifference> lines_;
};

}  // namespace gprof::lsp
