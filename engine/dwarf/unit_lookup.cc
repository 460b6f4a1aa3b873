#include "engine/dwarf/unit_lookup.h"

#include <algorithm>
#include <tuple>

namespace gprof::dwarf {

void UnitLookup::sort() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.range, a.unit) < std::tie(b.range, b.unit);
  });
  Address highest;
  for (Entry& entry : entries_) {
    highest = std::max(highest, entry.range.high);
    entry.highest_end = highest;
  }
}

std::optional<UnitIndex> UnitLookup::find(Address address) const {
  auto entry = std::upper_bound(
      entries_.begin(), entries_.end(), address,
      [](Address wanted, const Entry& candidate) { return wanted < candidate.range.low; });
  while (entry != entries_.begin()) {
    --entry;
    if (entry->range.contains(address)) return entry->unit;
    if (entry->highest_end <= address) break;
  }
  return std::nullopt;
}

std::vector<AddressRange> covered_ranges(const std::vector<LineRow>& rows) {
  std::vector<AddressRange> ranges;
  std::size_t start = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].end_of_sequence) continue;
    const AddressRange range{rows[start].address, rows[i].address};
    if (!range.empty()) ranges.push_back(range);
    start = i + 1;
  }
  return ranges;
}

}  // namespace gprof::dwarf
