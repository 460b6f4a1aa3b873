// Compares the lines of a file with the same lines of the base: those that are in the present text
// and certainly have the text compiled in both builds.
//
// Times are per run, seconds stand for the profile's own unit; lines are those of the shown build.
// The variation between runs is not known per line: errors are those of sampling and of the drift
// common to the program's functions. All lines of the file are judged together.
// Ownership: plain values. Thread contract: pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "engine/comparison/time_change.h"
#include "server/features/file_view.h"

namespace gprof::lsp {

struct LineDifference {
  std::optional<TimeChange> self;  // none without times
  // Per run, on both sides; none if either side has none.
  std::optional<double> executions_before;
  std::optional<double> executions_after;
};

class LineDifferences {
 public:
  // Empty if the view has no base.
  explicit LineDifferences(const FileView& view);

  // Null if the line is not compared.
  [[nodiscard]] const LineDifference* of(LineNumber build_line) const;

 private:
  std::map<LineNumber, LineDifference> lines_;
};

}  // namespace gprof::lsp
