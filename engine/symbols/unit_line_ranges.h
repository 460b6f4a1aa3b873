// The ranges of one unit's code (see line_ranges.h), with the unit's own numbering.
//
// Ownership: names are views of bytes that `debug` owns. Thread contract: pure function; units may
// be read in parallel. Errors: none; an unreadable unit has no ranges.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/symbols/line_ranges.h"

namespace gprof {

struct UnitLineRanges {
  std::vector<LineRange> ranges;  // disjoint, ascending
  std::vector<std::string> paths;
  std::vector<NamedFunction> functions;
  std::shared_ptr<const std::string> names;  // see UnitCode
};

[[nodiscard]] UnitLineRanges read_unit_line_ranges(const DebugInformation& debug, UnitIndex unit,
                                                   FunctionNaming names);

}  // namespace gprof
