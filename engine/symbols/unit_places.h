// The places of one unit's code (see code_places.h), with the unit's own numbering.
//
// Ownership: names are views of bytes that `debug` owns. Thread contract: pure function; units may
// be read in parallel. Errors: none; an unreadable unit has no places.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/symbols/code_places.h"

namespace gprof {

struct UnitPlaces {
  std::vector<LineRange> places;  // disjoint, ascending
  std::vector<std::string> paths;
  std::vector<PlacedFunction> functions;
  std::shared_ptr<const std::string> names;  // see UnitCode
};

[[nodiscard]] UnitPlaces read_unit_places(const DebugInformation& debug, UnitIndex unit,
                                          PlaceNames names);

}  // namespace gprof
