// The lines of a file beside the same lines of the base: those that stand in the text now and have,
// for certain, the text that was compiled in both builds.
//
// Times are per run, seconds stand for the profile's own unit; lines are those of the shown build.
// How runs differ is not known line by line: errors are those of the samples and of the drift that
// the program's functions have in common. All lines of the file are judged together.
// Ownership: plain values. Thread contract: pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "engine/comparison/time_change.h"
#include "server/features/file_view.h"

namespace gprof::lsp {

struct LineDifference {
  std::optional<TimeChange> self;  // none where no times were taken
  // A run, on both sides; none where either counts none.
  std::optional<double> executions_before;
  std::optional<double> executions_after;
};

class LineDifferences {
 public:
  // Empty where the view has no base.
  explicit LineDifferences(const FileView& view);

  // Null where the line is not compared.
  [[nodiscard]] const LineDifference* of(LineNumber build_line) const;

 private:
  std::map<LineNumber, LineDifference> lines_;
};

}  // namespace gprof::lsp
