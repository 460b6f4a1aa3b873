#include "engine/symbols/row_ranges.h"

#include <algorithm>
#include <tuple>

namespace gprof {
namespace {

struct Sequence {
  AddressRange range;
  std::span<const LineRow> rows;  // without the one that ends it
};

// By start, longer ones first.
std::vector<Sequence> sequences_of(std::span<const LineRow> rows) {
  std::vector<Sequence> sequences;
  std::size_t start = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].end_of_sequence) continue;
    const auto inner = rows.subspan(start, i - start);
    start = i + 1;
    if (inner.empty()) continue;
    const auto lowest = std::ranges::min_element(inner, {}, &LineRow::address);
    const AddressRange range{lowest->address, rows[i].address};
    if (!range.empty()) sequences.push_back({range, inner});
  }
  std::ranges::stable_sort(sequences, [](const Sequence& a, const Sequence& b) {
    return std::tie(a.range.low, b.range.high) < std::tie(b.range.low, a.range.high);
  });
  return sequences;
}

void add_sequence(const Sequence& sequence, AddressRange visible, std::vector<RowRange>& ranges) {
  std::vector<const LineRow*> order;
  order.reserve(sequence.rows.size());
  for (const LineRow& row : sequence.rows) order.push_back(&row);
  const auto by_address = [](const LineRow* row) { return row->address; };
  // Only hand-written programs need this.
  if (!std::ranges::is_sorted(order, {}, by_address)) {
    std::ranges::stable_sort(order, {}, by_address);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Address end = i + 1 < order.size() ? order[i + 1]->address : sequence.range.high;
    const AddressRange range = intersect({order[i]->address, end}, visible);
    if (!range.empty()) ranges.push_back({range, order[i]});
  }
}

}  // namespace

std::vector<RowRange> row_ranges(std::span<const LineRow> rows) {
  std::vector<RowRange> ranges;
  Address done;
  for (const Sequence& sequence : sequences_of(rows)) {
    const AddressRange visible{std::max(done, sequence.range.low), sequence.range.high};
    if (visible.empty()) continue;
    add_sequence(sequence, visible, ranges);
    done = visible.high;
  }
  return ranges;
}

}  // namespace gprof
