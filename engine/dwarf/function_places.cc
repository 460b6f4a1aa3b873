#include "engine/dwarf/function_places.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gprof::dwarf {

void FunctionPlaces::add(UnitIndex unit, const UnitFunctions& functions) {
  if (has(unit)) return;
  std::vector<Place> places;
  for (const Subprogram& function : functions.subprograms) {
    for (const AddressRange& range : function.ranges) {
      places.push_back({range, function.declaration});
    }
  }
  std::sort(places.begin(), places.end(),
            [](const Place& a, const Place& b) { return a.range < b.range; });
  places.shrink_to_fit();
  const std::lock_guard lock(mutex_);
  places_.emplace(unit, std::move(places));
}

bool FunctionPlaces::has(UnitIndex unit) const {
  const std::lock_guard lock(mutex_);
  return places_.contains(unit);
}

std::optional<Declaration> FunctionPlaces::find(UnitIndex unit, Address address) const {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(unit);
  if (found == places_.end()) return std::nullopt;
  const std::vector<Place>& places = found->second;
  const auto after = std::partition_point(
      places.begin(), places.end(), [&](const Place& place) { return place.range.low <= address; });
  if (after == places.begin() || !std::prev(after)->range.contains(address)) return std::nullopt;
  return std::prev(after)->declaration;
}

}  // namespace gprof::dwarf
