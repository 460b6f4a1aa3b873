// The code that each row of a line table describes.
//
// Thread contract: pure function; the result points into the given rows.
#pragma once

#include <span>
#include <vector>

#include "engine/dwarf/debug_information.h"

namespace gprof {

struct RowRange {
  AddressRange range;
  const LineRow* row = nullptr;
};

// Ascending and disjoint; of several rows at one address, the last one. If sequences overlap, the
// one that starts first wins.
[[nodiscard]] std::vector<RowRange> row_ranges(std::span<const LineRow> rows);

}  // namespace gprof
