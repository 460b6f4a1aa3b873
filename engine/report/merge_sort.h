// A sort with a defined result even if the order is not transitive.
//
// Some of gprof's orders compare two items in one way and a third one in another: execution counts,
// for example, compare places if both symbols have a file, and addresses if one has none. The
// result then depends on which pairs are compared. GNU gprof uses the C library's qsort, a top-down
// merge sort; this is the same algorithm, so it compares the same pairs. std::stable_sort may
// compare others, and is undefined for such orders.
//
// Cost: n log n comparisons, n items of space. Thread contract: a pure function.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gprof {
namespace merge_sort_detail {

template <typename T, typename Compare>
void sort_half(std::span<T> items, std::vector<T>& merged, Compare& compare) {
  if (items.size() < 2) return;
  // If the number is odd, the first half is the smaller one.
  const std::size_t half = items.size() / 2;
  const std::span<T> left = items.first(half);
  const std::span<T> right = items.subspan(half);
  sort_half(left, merged, compare);
  sort_half(right, merged, compare);
  merged.clear();
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() && j < right.size()) {
    const bool take_left = compare(left[i], right[j]) <= 0;
    merged.push_back(take_left ? left[i++] : right[j++]);
  }
  while (i < left.size()) merged.push_back(left[i++]);
  // The rest of the right half is already in place.
  for (std::size_t k = 0; k < merged.size(); ++k) items[k] = merged[k];
}

}  // namespace merge_sort_detail

// `compare(a, b)` is negative, 0 or positive, like strcmp. Equal items keep their order.
template <typename T, typename Compare>
void merge_sort(std::span<T> items, Compare compare) {
  std::vector<T> merged;
  merged.reserve(items.size());
  merge_sort_detail::sort_half(items, merged, compare);
}

}  // namespace gprof
