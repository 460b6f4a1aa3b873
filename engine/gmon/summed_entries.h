// Arcs, samples or stacks of several sidecars, those at equal places added up: in the order in
// which they were first seen, so that parts can name them.
//
// Ownership: owns the entries. Thread contract: one thread. Errors: none; counts saturate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/gmon/add_counts.h"
#include "engine/gmon/sidecar.h"
#include "engine/support/index_table.h"

namespace gprof {

[[nodiscard]] inline std::uint64_t place_hash(const ModuleAddress& place, std::uint64_t before) {
  return hash_of(hash_of(before, place.module), place.address.value);
}
[[nodiscard]] inline std::uint64_t place_hash(const SidecarArc& arc) {
  const std::uint64_t ends = place_hash(arc.self, place_hash(arc.from, arc.flags));
  return place_hash(arc.via, place_hash(arc.profiled_caller, hash_of(ends, arc.via_name)));
}
[[nodiscard]] inline std::uint64_t place_hash(const SidecarSample& sample) {
  return place_hash(sample.place, 0);
}
[[nodiscard]] inline std::uint64_t place_hash(const SidecarStack& stack) {
  std::uint64_t hash = stack.truncated ? 1 : 0;
  for (const ModuleAddress& frame : stack.frames) hash = place_hash(frame, hash);
  return hash;
}

[[nodiscard]] inline bool same_place(const SidecarArc& a, const SidecarArc& b) {
  return compare_places(a, b) == 0;
}
[[nodiscard]] inline bool same_place(const SidecarSample& a, const SidecarSample& b) {
  return a.place == b.place;
}
[[nodiscard]] inline bool same_place(const SidecarStack& a, const SidecarStack& b) {
  return a.truncated == b.truncated && a.inferred_from == b.inferred_from && a.frames == b.frames;
}

// The order of stacks in a file.
[[nodiscard]] inline bool is_stack_before(const SidecarStack& a, const SidecarStack& b) {
  return a.count != b.count ? a.count > b.count
                            : std::tie(a.frames, a.truncated, a.inferred_from) <
                                  std::tie(b.frames, b.truncated, b.inferred_from);
}

// The entries in the order of the format, and where each of them is there.
template <typename Entry, typename Before>
[[nodiscard]] std::vector<Entry> put_in_order(std::vector<Entry> entries,
                                              std::vector<std::uint32_t>& places,
                                              const Before& before) {
  std::vector<std::uint32_t> order(entries.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(
      order, [&](std::uint32_t a, std::uint32_t b) { return before(entries[a], entries[b]); });
  std::vector<Entry> ordered;
  ordered.reserve(entries.size());
  places.resize(entries.size());
  for (const std::uint32_t index : order) {
    places[index] = static_cast<std::uint32_t>(ordered.size());
    ordered.push_back(std::move(entries[index]));
  }
  return ordered;
}

template <typename Entry>
class SummedEntries {
 public:
  // The entry's place in the list.
  std::uint32_t add(Entry entry) {
    if (entries_.size() >= room_) make_table();
    const auto next = static_cast<std::uint32_t>(entries_.size());
    const std::uint32_t place = places_.find_or_add(
        place_hash(entry), next,
        [&](std::uint32_t known) { return same_place(entries_[known], entry); });
    if (place == next) {
      entries_.push_back(std::move(entry));
    } else {
      add_counts(entries_[place], entry);
    }
    return place;
  }

  // The list is empty afterwards.
  [[nodiscard]] std::vector<Entry> take() {
    std::vector<Entry> entries = std::move(entries_);
    *this = SummedEntries();
    return entries;
  }

 private:
  void make_table() {
    room_ = 2 * entries_.size() + 1;
    places_ = IndexTable(room_);
    std::uint32_t next = 0;
    const auto never = [](std::uint32_t) { return false; };  // they are known to differ
    for (const Entry& entry : entries_) places_.find_or_add(place_hash(entry), next++, never);
  }

  std::vector<Entry> entries_;
  IndexTable places_{0};
  std::size_t room_ = 0;  // of places_
};

}  // namespace gprof
