// Matches the lines of one text ("here") to those of another ("there"), as runs of lines that are
// consecutive in both. The order of lines is the same on both sides; a line without a partner is in
// no run.
//
// Runs are few: an untouched text is one run, and an edit adds about one. With r runs, lookup is
// O(log r) and a change O(r); neither depends on the number of lines.
// Line numbers start at 1. Thread contract: as for any value.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/support/units.h"

namespace gprof::lsp {

struct LineRun {
  LineNumber here = 0;
  LineNumber there = 0;
  LineNumber count = 0;

  friend bool operator==(const LineRun&, const LineRun&) = default;
};

class LineRuns {
 public:
  LineRuns() = default;
  // Each of `count` lines matches itself.
  [[nodiscard]] static LineRuns identity(std::size_t count);

  [[nodiscard]] std::optional<LineNumber> there(LineNumber here) const;
  [[nodiscard]] std::optional<LineNumber> here(LineNumber there) const;
  // The partners of `count` lines from `here` on, 0 for none.
  [[nodiscard]] std::vector<LineNumber> partners(LineNumber here, std::size_t count) const;
  [[nodiscard]] std::span<const LineRun> runs() const { return runs_; }

  // Adds lines after all others. Precondition: both numbers are greater than any present.
  void append(LineRun run);
  // Replaces `count` lines from `here` on with one line per entry of `partners` (0: no partner);
  // what follows moves. A partner that would break the order is dropped.
  void replace(LineNumber here, std::size_t count, std::span<const LineNumber> partners);

  friend bool operator==(const LineRuns&, const LineRuns&) = default;

 private:
  std::vector<LineRun> runs_;  // increasing on both sides, each as long as possible
};

}  // namespace gprof::lsp
