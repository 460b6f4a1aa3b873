// Overlapping ranges of functions, flattened to one function per address.
//
// Cost: n log n. Thread contract: pure function.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/support/units.h"

namespace gprof {

struct NamedRange {
  AddressRange range;
  std::uint32_t index = 0;  // of what the range belongs to
};

// The shortest range wins each address; of equally long ones, the last in `ranges`. The result is
// ascending and disjoint.
[[nodiscard]] std::vector<NamedRange> innermost_ranges(std::vector<NamedRange> ranges);

}  // namespace gprof
