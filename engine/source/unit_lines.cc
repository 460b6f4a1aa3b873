#include "engine/source/unit_lines.h"

#include <algorithm>
#include <map>

namespace gprof {
namespace {

// The element of an ascending, disjoint list whose range contains the address.
template <typename List>
auto find_range(const List& list, Address address) -> decltype(&list.front()) {
  auto after = std::partition_point(
      list.begin(), list.end(), [&](const auto& element) { return element.range.low <= address; });
  if (after == list.begin()) return nullptr;
  const auto& element = *std::prev(after);
  return element.range.contains(address) ? &element : nullptr;
}

// Sets `range` to `index`, overriding what was there: later calls are nested deeper.
void paint(std::map<Address, std::optional<std::uint32_t>>& borders, AddressRange range,
           std::uint32_t index) {
  if (range.empty()) return;
  auto value_before = [&](Address address) {
    auto after = borders.upper_bound(address);
    return after == borders.begin() ? std::nullopt : std::prev(after)->second;
  };
  const auto behind = value_before(range.high);
  borders.erase(borders.lower_bound(range.low), borders.lower_bound(range.high));
  borders[range.low] = index;
  borders.try_emplace(range.high, behind);
}

}  // namespace

std::vector<LineExtent> line_extents(std::span<const LineRow> rows) {
  std::vector<LineExtent> extents;
  extents.reserve(rows.size());
  bool ascending = true;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    const LineRow& row = rows[i];
    if (row.end_of_sequence || row.line == 0 || row.file == no_file) continue;
    const AddressRange range = {row.address, rows[i + 1].address};
    if (range.empty()) continue;
    if (!extents.empty()) {
      LineExtent& last = extents.back();
      ascending = ascending && last.range.high <= range.low;
      if (last.range.high == range.low && last.file == row.file && last.line == row.line) {
        last.range.high = range.high;
        continue;
      }
    }
    extents.push_back({range, row.file, row.line, row.column});
  }
  if (!ascending) {
    std::stable_sort(extents.begin(), extents.end(),
                     [](const auto& a, const auto& b) { return a.range.low < b.range.low; });
    // Overlapping sequences are the producer's fault; the earlier one keeps its code.
    for (std::size_t i = 1; i < extents.size(); ++i) {
      extents[i].range.low = std::max(extents[i].range.low, extents[i - 1].range.high);
      extents[i].range.high = std::max(extents[i].range.high, extents[i].range.low);
    }
    std::erase_if(extents, [](const LineExtent& e) { return e.range.empty(); });
  }
  return extents;
}

UnitLines::UnitLines(std::vector<LineExtent> extents, UnitFunctions functions)
    : extents_(std::move(extents)), functions_(std::move(functions)) {
  for (std::uint32_t i = 0; i < functions_.subprograms.size(); ++i) {
    for (const AddressRange& range : functions_.subprograms[i].ranges) {
      if (!range.empty()) subprogram_spans_.push_back({range, i});
    }
  }
  std::sort(subprogram_spans_.begin(), subprogram_spans_.end(),
            [](const Span& a, const Span& b) { return a.range < b.range; });

  std::map<Address, std::optional<std::uint32_t>> borders;
  for (std::uint32_t i = 0; i < functions_.inlined_calls.size(); ++i) {
    for (const AddressRange& range : functions_.inlined_calls[i].ranges) paint(borders, range, i);
  }
  for (auto border = borders.begin(); border != borders.end(); ++border) {
    const auto next = std::next(border);
    if (!border->second || next == borders.end()) continue;
    inlined_spans_.push_back({{border->first, next->first}, *border->second});
  }
}

const LineExtent* UnitLines::extent_at(Address address) const {
  return find_range(extents_, address);
}

std::optional<std::uint32_t> UnitLines::inlined_call_at(Address address) const {
  const Span* span = find_range(inlined_spans_, address);
  if (span == nullptr) return std::nullopt;
  return span->index;
}

const Subprogram* UnitLines::subprogram_at(Address address) const {
  const Span* span = find_range(subprogram_spans_, address);
  return span == nullptr ? nullptr : &functions_.subprograms[span->index];
}

std::size_t UnitLines::footprint() const {
  return extents_.capacity() * sizeof(LineExtent) +
         functions_.subprograms.size() * (sizeof(Subprogram) + 64) +
         functions_.inlined_calls.size() * (sizeof(InlinedCall) + sizeof(Span) * 2 + 32);
}

}  // namespace gprof
