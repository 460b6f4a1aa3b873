// Finds units by address.
//
// Thread contract: immutable once built.
#pragma once

#include <optional>
#include <vector>

#include "engine/dwarf/debug_information.h"

namespace gprof::dwarf {

class UnitLookup {
 public:
  void add(AddressRange range, UnitIndex unit) { entries_.push_back({range, unit}); }
  // Call once, after the last add() and before the first find().
  void sort();
  // If ranges overlap, the one that starts last.
  [[nodiscard]] std::optional<UnitIndex> find(Address address) const;

 private:
  struct Entry {
    AddressRange range;
    UnitIndex unit = 0;
  };
  // Once sorted, no two overlap: at most twice as many as were added.
  std::vector<Entry> entries_;
};

// The ranges of code that the rows' sequences cover.
[[nodiscard]] std::vector<AddressRange> covered_ranges(const std::vector<LineRow>& rows);

}  // namespace gprof::dwarf
