#include "engine/symbols/code_places.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "engine/support/ordered_work.h"
#include "engine/symbols/covered_ranges.h"
#include "engine/symbols/unit_places.h"

namespace gprof {

// Joins the units' places, in unit order.
class PlaceCollector {
 public:
  PlaceCollector() = default;
  // Keeps only places that contain one of the ascending addresses.
  explicit PlaceCollector(std::span<const Address> addresses) : addresses_(addresses) {}

  void add(UnitPlaces&& unit);
  // `added` of `all` units have been added. If the next unit's places may not fit, reserves room
  // for those of all remaining ones: unused room is never touched, and so takes no memory.
  void expect(std::size_t added, std::size_t all);
  [[nodiscard]] CodePlaces take();

 private:
  void renumber(UnitPlaces& unit);
  void take_stretch(std::span<const LineRange> stretch);
  [[nodiscard]] bool is_wanted(AddressRange range, std::size_t& next_address) const;

  std::optional<std::span<const Address>> addresses_;
  CodePlaces result_;
  std::unordered_map<std::string, PlaceIndex> paths_;
  CoveredRanges claimed_;
};

void PlaceCollector::renumber(UnitPlaces& unit) {
  std::vector<PlaceIndex> paths;
  paths.reserve(unit.paths.size());
  for (std::string& path : unit.paths) {
    const auto next = static_cast<PlaceIndex>(result_.paths_.size());
    const auto [known, is_new] = paths_.try_emplace(path, next);
    if (is_new) result_.paths_.push_back(std::move(path));
    paths.push_back(known->second);
  }
  const auto first_function = static_cast<PlaceIndex>(result_.functions_.size());
  for (LineRange& place : unit.places) {
    if (place.path != no_place) place.path = paths[place.path];
    if (place.function != no_place) place.function += first_function;
  }
}

// `next_address` advances with the ranges, which must be passed in ascending order.
bool PlaceCollector::is_wanted(AddressRange range, std::size_t& next_address) const {
  if (!addresses_) return true;
  const std::span<const Address> addresses = *addresses_;
  while (next_address < addresses.size() && addresses[next_address] < range.low) ++next_address;
  return next_address < addresses.size() && addresses[next_address] < range.high;
}

// `stretch` must have no gaps.
void PlaceCollector::take_stretch(std::span<const LineRange> stretch) {
  const AddressRange whole{stretch.front().range.low, stretch.back().range.high};
  const bool free = claimed_.is_free(whole);
  std::size_t next_address = 0;
  if (addresses_) {
    const auto first = std::ranges::lower_bound(*addresses_, whole.low);
    next_address = static_cast<std::size_t>(first - addresses_->begin());
  }
  for (LineRange place : stretch) {
    if (!is_wanted(place.range, next_address)) continue;
    if (free) {
      result_.places_.push_back(place);
      continue;
    }
    claimed_.free_parts(place.range, [&](AddressRange part) {
      place.range = part;
      result_.places_.push_back(place);
    });
  }
}

void PlaceCollector::add(UnitPlaces&& unit) {
  renumber(unit);
  const std::span<const LineRange> places = unit.places;
  std::vector<AddressRange> stretches;
  for (std::size_t start = 0; start < places.size();) {
    std::size_t end = start + 1;
    while (end < places.size() && places[end].range.low == places[end - 1].range.high) ++end;
    stretches.push_back({places[start].range.low, places[end - 1].range.high});
    take_stretch(places.subspan(start, end - start));
    start = end;
  }
  // Only now: the ranges of one unit do not exclude each other.
  for (const AddressRange& stretch : stretches) claimed_.add(stretch);
  result_.functions_.insert(result_.functions_.end(), unit.functions.begin(), unit.functions.end());
  if (unit.names) result_.names_.push_back(std::move(unit.names));
}

void PlaceCollector::expect(std::size_t added, std::size_t all) {
  constexpr std::size_t first_guess = 16;
  constexpr std::size_t most_growth = 64;
  auto& places = result_.places_;
  if (added == 0 || added < std::min(first_guess, all / 2)) return;
  const std::size_t of_a_unit = places.size() / added + 1;
  if (places.capacity() - places.size() >= 2 * of_a_unit) return;
  const std::size_t units = std::min(all - added, most_growth * added);
  places.reserve(places.size() + units * (of_a_unit + of_a_unit / 8));
}

CodePlaces PlaceCollector::take() {
  const auto by_address = [](const LineRange& place) { return place.range.low; };
  if (!std::ranges::is_sorted(result_.places_, {}, by_address)) {
    std::ranges::sort(result_.places_, {}, by_address);
  }
  return std::move(result_);
}

namespace {

// Units whose places may wait for those before them.
constexpr std::size_t most_waiting_units = 32;

void add_units(const DebugInformation& debug, PlaceNames names, std::span<const UnitIndex> units,
               std::size_t threads, PlaceCollector& collector) {
  make_and_take(
      units.size(), threads, most_waiting_units,
      [&](std::size_t i) { return read_unit_places(debug, units[i], names); },
      [&](std::size_t i, UnitPlaces&& unit) {
        collector.expect(i, units.size());
        collector.add(std::move(unit));
      });
}

// Whether the range contains one of the ascending addresses.
bool holds_any(AddressRange range, std::span<const Address> addresses) {
  const auto first = std::ranges::lower_bound(addresses, range.low);
  return first != addresses.end() && *first < range.high;
}

// A unit whose ranges may not cover all its rows is assumed to match.
bool may_speak_of(const Unit& unit, std::span<const Address> addresses) {
  if (!unit.has_lines) return false;
  if (unit.ranges.empty() || unit.dwarf_version <= 2) return true;
  return std::ranges::any_of(
      unit.ranges, [&](const AddressRange& range) { return holds_any(range, addresses); });
}

}  // namespace

CodePlaces CodePlaces::read(const DebugInformation& debug, PlaceNames names, std::size_t threads) {
  std::vector<UnitIndex> units(debug.units().size());
  std::iota(units.begin(), units.end(), UnitIndex{0});
  PlaceCollector collector;
  add_units(debug, names, units, threads, collector);
  return collector.take();
}

CodePlaces CodePlaces::read_around(const DebugInformation& debug,
                                   std::span<const Address> addresses) {
  std::vector<UnitIndex> units;
  for (UnitIndex unit = 0; unit < debug.units().size(); ++unit) {
    if (may_speak_of(debug.units()[unit], addresses)) units.push_back(unit);
  }
  PlaceCollector collector(addresses);
  add_units(debug, PlaceNames::none, units, processor_count(), collector);
  return collector.take();
}

const LineRange* PlaceFinder::at(Address address) {
  const auto begins_behind = [&](std::size_t i) { return places_[i].range.low > address; };
  // Bounds for the first place after the address: near the previous one.
  std::size_t low = near_ < places_.size() && !begins_behind(near_) ? near_ : 0;
  std::size_t high = low;
  for (std::size_t step = 1; high < places_.size() && !begins_behind(high); step *= 2) {
    low = high;
    high = std::min(places_.size(), high + step);
  }
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (begins_behind(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  if (low == 0) return nullptr;
  near_ = low - 1;
  const LineRange& place = places_[near_];
  return place.range.contains(address) ? &place : nullptr;
}

}  // namespace gprof
