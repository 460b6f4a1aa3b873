// Checks that lists from a snapshot file keep what other code relies on: the file may
// contain anything, even with a correct checksum.
//
// Thread contract: pure functions. Cost: reads each element once, on all processors if there are
// many.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "engine/support/parallel.h"

namespace gprof {

// holds(i) for each i below `count`. No early exit: nearly always all hold, and saving a branch per
// element counts.
template <typename Holds>
[[nodiscard]] bool holds_for_all(std::size_t count, const Holds& holds) {
  constexpr std::size_t part_size = std::size_t{1} << 16;
  // Enough for vector instructions even from a compiler that does not vectorise unbounded loops.
  constexpr std::size_t round_size = 64;
  // Fewer parts are done before a thread gets to run.
  constexpr std::size_t worth_a_thread = 16;
  const std::size_t parts = (count + part_size - 1) / part_size;
  std::atomic<bool> all = true;
  for_each_index(parts, parts < worth_a_thread ? 1 : processor_count(), [&](std::size_t part) {
    const std::size_t end = std::min(count, (part + 1) * part_size);
    unsigned good = 1;
    std::size_t i = part * part_size;
    for (; i + round_size <= end; i += round_size) {
      for (std::size_t j = 0; j < round_size; ++j) good &= holds(i + j) ? 1U : 0U;
    }
    for (; i < end; ++i) good &= holds(i) ? 1U : 0U;
    if (good == 0) all = false;
  });
  return all;
}

// Each element is below `limit`, as indexes into a list of that size are.
template <typename List>
[[nodiscard]] bool all_below(const List& numbers, std::size_t limit) {
  using Number = typename List::value_type;
  if (limit > std::numeric_limits<Number>::max()) return true;
  // Compares several of the same width at once.
  const auto narrow = static_cast<Number>(limit);
  const Number* const first = numbers.data();
  return holds_for_all(numbers.size(), [=](std::size_t i) { return first[i] < narrow; });
}

// `first` has, for each thing, where its part of the list starts and, last, where the final part
// ends; the list has `total` elements.
template <typename List>
[[nodiscard]] bool are_parts(const List& first, std::size_t things, std::size_t total) {
  if (first.size() != things + 1 || first[0] != 0 || first[things] != total) return false;
  const auto* const begin = first.data();
  return holds_for_all(things, [=](std::size_t i) { return begin[i] <= begin[i + 1]; });
}

// Numbers that can be sorted.
template <typename List>
[[nodiscard]] bool are_finite(const List& values) {
  const auto* const first = values.data();
  return holds_for_all(values.size(), [=](std::size_t i) { return std::isfinite(first[i]); });
}

// Whether the byte may be read as a bool.
[[nodiscard]] inline bool is_truth_value(const bool& value) {
  unsigned char byte = 0;
  std::memcpy(&byte, &value, 1);
  return byte <= 1;
}

}  // namespace gprof
