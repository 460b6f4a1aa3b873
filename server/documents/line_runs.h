// Which lines of one text ("here") are which lines of another ("there"), as runs of lines that
// follow each other in both. The order of lines is the same on both sides; a line without a partner
// is in no run.
//
// Few runs say much: an untouched text is one run, and an edit adds about one. Looking up takes the
// logarithm of their number, a change their number; neither depends on the number of lines.
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
  // Each of `count` lines is itself.
  [[nodiscard]] static LineRuns identity(std::size_t count);

  [[nodiscard]] std::optional<LineNumber> there(LineNumber here) const;
  [[nodiscard]] std::optional<LineNumber> here(LineNumber there) const;
  // The partners of `count` lines from `here` on, 0 for none.
  [[nodiscard]] std::vector<LineNumber> partners(LineNumber here, std::size_t count) const;
  [[nodiscard]] std::span<const LineRun> runs() const { return runs_; }

  // Lines behind all that are there. Precondition: both numbers are greater than those.
  void append(LineRun run);
  // `count` lines from `here` on became as many lines as `partners` has entries (0 for none); what
  // follows moves. A partner that would break the order is left out.
  void replace(LineNumber here, std::size_t count, std::span<const LineNumber> partners);

  friend bool operator==(const LineRuns&, const LineRuns&) = default;

 private:
  std::vector<LineRun> runs_;  // in increasing order of both sides, as long as can be
};

}  // namespace gprof::lsp
