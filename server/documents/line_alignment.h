// Which lines of two texts are the same line: a line of the one ("here") and of the other
// ("there"). Of a document and an earlier text, the document is here.
//
// The order of lines is the same on both sides. They are kept in stretches that are consecutive on
// both: an untouched text is one stretch, and an edit adds about one. With n stretches, lookup is
// O(log n) and a change O(n); neither depends on the number of lines.
// Line numbers start at 1. Thread contract: as for any value.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/support/units.h"

namespace gprof::lsp {

struct AlignedLines {
  LineNumber here = 0;
  LineNumber there = 0;
  LineNumber count = 0;

  friend bool operator==(const AlignedLines&, const AlignedLines&) = default;
};

class LineAlignment {
 public:
  LineAlignment() = default;
  // Each of `count` lines is aligned with itself.
  [[nodiscard]] static LineAlignment identity(std::size_t count);

  // Empty for a line that the other text lacks, and for one past the end.
  [[nodiscard]] std::optional<LineNumber> there(LineNumber here) const;
  [[nodiscard]] std::optional<LineNumber> here(LineNumber there) const;
  // The partners of `count` lines from `here` on, 0 for none.
  [[nodiscard]] std::vector<LineNumber> partners(LineNumber here, std::size_t count) const;
  [[nodiscard]] std::span<const AlignedLines> stretches() const { return stretches_; }

  // From the lines here to those that `next`, which begins there, aligns them with.
  [[nodiscard]] LineAlignment then(const LineAlignment& next) const;

  // Adds lines after all others. Precondition: both numbers are greater than any present.
  void append(AlignedLines lines);
  // Replaces `count` lines from `here` on with one line per entry of `partners` (0: no partner);
  // what follows moves. A partner that would break the order is dropped.
  void replace(LineNumber here, std::size_t count, std::span<const LineNumber> partners);

  friend bool operator==(const LineAlignment&, const LineAlignment&) = default;

 private:
  std::vector<AlignedLines> stretches_;  // increasing on both sides, each as long as possible
};

}  // namespace gprof::lsp
