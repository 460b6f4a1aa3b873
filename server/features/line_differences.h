// Compares the lines of a file with the same lines of the base: those that are in the present text
// and certainly have the text compiled in both builds.
//
// Other lines were edited since the base, or are new: they have no line of the base to be compared
// with. New ones are compared with nothing. Edited ones between the same two lines of both texts,
// in one function, are compared as one, with what the base has there in that function; the
// difference is that of the line that costs most. Their neighbours, the nearest lines with costs in
// the same function, are often charged with a part of their cost: an instruction that takes long
// delays the sample to the one after it, and the compiler mixes the code of a loop's lines. So a
// neighbour's difference is not marked if the changed lines' is larger, in the same direction.
//
// Times are per run, seconds stand for the profile's own unit; lines are those of the shown build.
// The statistic is that of functions: run by run, with the speeds of the runs and the drift, which
// are estimated from the program's other functions (Comparison::conditions()). Where the runs were
// too large to be kept, their sum counts as one run sampled more often, and how much runs vary is
// known from the functions alone. All lines of the file are judged together, self times and totals
// each by themselves. Totals are compared where both sides have stacks, and inlined code counts
// where the view counts it: what is compared is what stands on the line. Ownership: plain values.
// Thread contract: pure.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "engine/comparison/time_change.h"
#include "server/features/file_view.h"

namespace gprof::lsp {

enum class LineOrigin : std::uint8_t {
  same,    // in the base as well
  edited,  // in the place of code of the base
  added,   // the base has no code there
};

struct LineDifference {
  LineOrigin origin = LineOrigin::same;
  // Of lines that were edited together, only that which costs most has times, those of all.
  std::size_t lines_together = 1;
  bool beside_change = false;  // the difference of the self time may be that of changed neighbours
  std::optional<TimeChange> self;   // none without times
  std::optional<TimeChange> total;  // none unless both sides were measured
  // Per run, on both sides; none if either side has none.
  std::optional<double> executions_before;
  std::optional<double> executions_after;

  // Whether `change`, of the self time or the total, is shown without a mark: the line is next to a
  // changed one, and the total changed by as much as the self time, within the error.
  [[nodiscard]] bool is_spared(const TimeChange& change) const {
    return beside_change && self &&
           std::abs(change.difference() - self->difference()) <= change.error;
  }
};

class LineDifferences {
 public:
  // Empty if the view has no base.
  explicit LineDifferences(const FileView& view);

  // Null if the line is not compared. Lives as long as this: not to be asked of a temporary.
  [[nodiscard]] const LineDifference* of(LineNumber build_line) const&;
  const LineDifference* of(LineNumber build_line) && = delete;

 private:
  // Sets `beside_change` of the neighbours of lines that changed by `change` together.
  void spare_neighbours(const FileView& view, std::span<const LineNumber> changed,
                        const TimeChange& change);

  std::map<LineNumber, LineDifference> lines_;
};

}  // namespace gprof::lsp
