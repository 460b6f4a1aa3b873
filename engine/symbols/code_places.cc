#include "engine/symbols/code_places.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "engine/symbols/innermost_ranges.h"
#include "engine/symbols/row_places.h"

namespace gprof {
namespace {

// The name of a file that a row's number does not lead to.
constexpr std::string_view unknown_file = "<unknown>";

// The code that is spoken for already.
class ClaimedCode {
 public:
  // Calls `take` with the parts of `range` that nobody has claimed, ascending.
  template <typename Take>
  void free_parts(AddressRange range, Take take) const {
    auto claim = claims_.upper_bound(range.low);
    if (claim != claims_.begin()) {
      range.low = std::max(range.low, std::prev(claim)->second);
    }
    for (; claim != claims_.end() && claim->first < range.high; ++claim) {
      if (range.low < claim->first) take(AddressRange{range.low, claim->first});
      range.low = std::max(range.low, claim->second);
    }
    if (!range.empty()) take(range);
  }

  void add(AddressRange range) {
    auto next = claims_.upper_bound(range.low);
    if (next != claims_.begin() && std::prev(next)->second >= range.low) {
      --next;
      range.low = next->first;
    }
    while (next != claims_.end() && next->first <= range.high) {
      range.high = std::max(range.high, next->second);
      next = claims_.erase(next);
    }
    claims_.emplace(range.low, range.high);
  }

 private:
  std::map<Address, Address> claims_;  // disjoint, not touching
};

// One number for each path.
class PathNumbers {
 public:
  PlaceIndex number_of(const std::string& path) {
    const auto [entry, is_new] =
        numbers_.try_emplace(path, static_cast<PlaceIndex>(numbers_.size()));
    return entry->second;
  }

  std::vector<std::string> take_paths() {
    std::vector<std::string> paths(numbers_.size());
    while (!numbers_.empty()) {
      auto node = numbers_.extract(numbers_.begin());
      paths[node.mapped()] = std::move(node.key());
    }
    return paths;
  }

 private:
  std::unordered_map<std::string, PlaceIndex> numbers_;
};

// Languages whose functions the linker knows by the names that the source gives them.
bool names_are_linkage_names(Language language) {
  return language == Language::c || language == Language::assembler;
}

// The code of a unit's functions, each stretch with the function inside which no other one is.
std::vector<NamedRange> function_ranges(const UnitFunctions& unit, Language language,
                                        PlaceNames names, std::vector<PlacedFunction>& functions) {
  std::vector<NamedRange> ranges;
  const auto add = [&](const Subprogram& function, const std::string& linkage_name,
                       std::span<const AddressRange> code) {
    const bool linked = !linkage_name.empty();
    const std::string& name = linked ? linkage_name : function.own_name;
    if (code.empty() || name.empty()) return;
    const auto index = static_cast<PlaceIndex>(functions.size());
    functions.push_back({name, linked || names_are_linkage_names(language), code.front().low});
    for (const AddressRange& range : code) ranges.push_back({range, index});
  };
  const auto unknown_to_gnu = [&](const auto& code) {
    return names == PlaceNames::gnu && code.has_indexed_ranges;
  };
  for (const Subprogram& subprogram : unit.subprograms) {
    if (!unknown_to_gnu(subprogram)) add(subprogram, subprogram.linkage_name, subprogram.ranges);
  }
  for (const InlinedCall& call : unit.inlined_calls) {
    if (unknown_to_gnu(call)) continue;
    const Subprogram& callee = unit.subprograms[call.callee];
    add(callee, call.linkage_name.value_or(callee.linkage_name), call.ranges);
  }
  return innermost_ranges(std::move(ranges));
}

// Splits the places where the function changes.
std::vector<CodePlace> with_functions(const std::vector<CodePlace>& places,
                                      const std::vector<NamedRange>& functions) {
  std::vector<CodePlace> result;
  result.reserve(places.size());
  auto function = functions.begin();
  for (CodePlace place : places) {
    while (function != functions.end() && function->range.high <= place.range.low) ++function;
    const Address end = place.range.high;
    for (auto inside = function; inside != functions.end() && inside->range.low < end; ++inside) {
      if (place.range.low < inside->range.low) {
        place.range.high = inside->range.low;
        place.function = no_place;
        result.push_back(place);
      }
      place.range = intersect(inside->range, {place.range.low, end});
      place.function = inside->index;
      result.push_back(place);
      place.range.low = place.range.high;
    }
    place.range.high = end;
    place.function = no_place;
    if (!place.range.empty()) result.push_back(place);
  }
  return result;
}

// Sorted, disjoint and not touching.
std::vector<AddressRange> united(std::vector<AddressRange> ranges) {
  std::ranges::sort(ranges);
  std::vector<AddressRange> result;
  for (const AddressRange& range : ranges) {
    if (range.empty()) continue;
    if (!result.empty() && range.low <= result.back().high) {
      result.back().high = std::max(result.back().high, range.high);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

// Whether some of the code lies in one of the unit's ranges. gprof comes to a unit by these; once
// there, it takes all lines of the unit, also those of code that the ranges leave out, as DWARF 2's
// single range does with the code of further sections.
bool is_reached(const std::vector<CodePlace>& places,
                const std::vector<AddressRange>& unit_ranges) {
  if (unit_ranges.empty()) return true;
  const std::vector<AddressRange> ranges = united(unit_ranges);
  return std::ranges::any_of(places, [&](const CodePlace& place) {
    const auto after = std::ranges::lower_bound(ranges, place.range.high, {}, &AddressRange::low);
    return after != ranges.begin() && std::prev(after)->high > place.range.low;
  });
}

class PlaceReader {
 public:
  PlaceReader(const DebugInformation& debug, PlaceNames names) : debug_(debug), names_(names) {}

  void read_unit(UnitIndex unit);
  std::vector<CodePlace> take_places();
  std::vector<std::string> take_paths() { return paths_.take_paths(); }
  std::vector<PlacedFunction> take_functions() { return std::move(functions_); }

 private:
  std::vector<CodePlace> line_places(const WrittenRows& written);

  const DebugInformation& debug_;
  PlaceNames names_;
  PathNumbers paths_;
  ClaimedCode claimed_;
  std::vector<CodePlace> places_;
  std::vector<PlacedFunction> functions_;
};

std::vector<CodePlace> PlaceReader::line_places(const WrittenRows& written) {
  std::vector<PlaceIndex> numbers(written.paths.size() + 1, no_place);
  std::vector<CodePlace> places;
  for (const RowRange& part : row_ranges(written.rows)) {
    CodePlace place{part.range, no_place, part.row->line, no_place};
    if (part.row->line != 0) {
      PlaceIndex& number = numbers[part.row->file];
      if (number == no_place) {
        number = paths_.number_of(part.row->file == no_file ? std::string(unknown_file)
                                                            : written.paths[part.row->file - 1]);
      }
      place.path = number;
    }
    places.push_back(place);
  }
  return places;
}

void PlaceReader::read_unit(UnitIndex unit) {
  const auto written = debug_.written_rows(unit);
  if (!written) return;
  const Unit& about = debug_.units()[unit];
  std::vector<CodePlace> places = line_places(*written);
  if (!is_reached(places, about.ranges)) return;
  if (names_ != PlaceNames::none && !places.empty()) {
    if (const auto functions = debug_.functions(unit)) {
      places =
          with_functions(places, function_ranges(*functions, about.language, names_, functions_));
    }
  }
  for (const CodePlace& place : places) {
    claimed_.free_parts(place.range, [&](AddressRange part) {
      places_.push_back(place);
      places_.back().range = part;
    });
  }
  for (const CodePlace& place : places) claimed_.add(place.range);
}

std::vector<CodePlace> PlaceReader::take_places() {
  std::ranges::sort(places_, {}, [](const CodePlace& place) { return place.range.low; });
  return std::move(places_);
}

}  // namespace

CodePlaces CodePlaces::read(const DebugInformation& debug, PlaceNames names) {
  PlaceReader reader(debug, names);
  for (UnitIndex unit = 0; unit < debug.units().size(); ++unit) reader.read_unit(unit);
  CodePlaces result;
  result.places_ = reader.take_places();
  result.paths_ = reader.take_paths();
  result.functions_ = reader.take_functions();
  return result;
}

const CodePlace* CodePlaces::at(Address address) const {
  const auto after = std::ranges::upper_bound(
      places_, address, {}, [](const CodePlace& place) { return place.range.low; });
  if (after == places_.begin()) return nullptr;
  const CodePlace& place = *std::prev(after);
  return place.range.contains(address) ? &place : nullptr;
}

}  // namespace gprof
