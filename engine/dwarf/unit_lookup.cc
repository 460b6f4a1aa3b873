#include "engine/dwarf/unit_lookup.h"

#include <algorithm>
#include <iterator>
#include <queue>
#include <tuple>
#include <utility>

namespace gprof::dwarf {

void UnitLookup::sort() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.range, a.unit) < std::tie(b.range, b.unit);
  });
  std::vector<Entry> apart;
  std::priority_queue<std::size_t> begun;  // entries that may reach further; the last one is on top
  Address covered_to;
  const auto cover_to = [&](Address end) {
    while (!begun.empty() && covered_to < end) {
      const Entry& entry = entries_[begun.top()];
      if (entry.range.high <= covered_to) {
        begun.pop();
        continue;
      }
      const AddressRange part = {covered_to, std::min(entry.range.high, end)};
      apart.push_back({part, entry.unit});
      covered_to = part.high;
    }
  };
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    cover_to(entries_[i].range.low);
    covered_to = entries_[i].range.low;
    begun.push(i);
  }
  cover_to({~std::uint64_t{0}});
  entries_ = std::move(apart);
}

std::optional<UnitIndex> UnitLookup::find(Address address) const {
  const auto behind = std::upper_bound(
      entries_.begin(), entries_.end(), address,
      [](Address wanted, const Entry& candidate) { return wanted < candidate.range.low; });
  if (behind == entries_.begin()) return std::nullopt;
  const Entry& entry = *std::prev(behind);
  return entry.range.contains(address) ? std::optional(entry.unit) : std::nullopt;
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
