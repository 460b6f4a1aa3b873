// A stable sort by numeric key, byte by byte from the lowest: linear, where comparison sorts of
// large lists spend most of their time on unpredictable branches.
//
// Thread contract: pure functions. Cost: at most nine passes over the items, fewer if some bytes of
// all keys agree; as much extra memory as the items take.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gprof {

// A number that sorts like the given one. No NaN; -0 and 0 are equal.
[[nodiscard]] inline std::uint64_t sortable(double number) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
  const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

// Ascending by `key`, which returns an item's std::uint64_t. `scratch` has the size of `items`.
template <typename Item, typename Key>
void radix_sort(std::span<Item> items, std::span<Item> scratch, const Key& key) {
  constexpr std::size_t few = 128;
  constexpr std::size_t digits = sizeof(std::uint64_t);
  constexpr std::size_t values = 256;
  const auto before = [&](const Item& a, const Item& b) { return key(a) < key(b); };
  if (items.size() < few) {
    std::stable_sort(items.begin(), items.end(), before);
    return;
  }
  if (std::is_sorted(items.begin(), items.end(), before)) return;
  std::array<std::array<std::uint32_t, values>, digits> counts{};
  for (const Item& item : items) {
    std::uint64_t rest = key(item);
    for (auto& count : counts) {
      ++count[rest % values];
      rest /= values;
    }
  }
  std::span<Item> from = items;
  std::span<Item> to = scratch.first(items.size());
  for (std::size_t digit = 0; digit < digits; ++digit) {
    auto& places = counts[digit];
    const auto digit_of = [&](const Item& item) { return (key(item) >> (8 * digit)) % values; };
    if (places[digit_of(from.front())] == items.size()) continue;
    std::uint32_t place = 0;
    for (std::uint32_t& count : places) {
      const std::uint32_t next = place + count;
      count = place;
      place = next;
    }
    for (const Item& item : from) to[places[digit_of(item)]++] = item;
    std::swap(from, to);
  }
  if (from.data() != items.data()) std::copy(from.begin(), from.end(), items.begin());
}

template <typename Item, typename Key>
void radix_sort(std::vector<Item>& items, const Key& key) {
  std::vector<Item> scratch(items.size());
  radix_sort(std::span(items), std::span(scratch), key);
}

}  // namespace gprof
