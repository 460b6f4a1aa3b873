// Counts that add up by key, in the order in which their keys were first met.
//
// Made for lists that come again and again with nearly the same keys in nearly the same order: an
// entry is first held against the one behind the entry that came before it. While keys come in
// ascending order, as collectors write them, there is no table of them either. Counts saturate.
//
// Thread contract: one thread. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/gmon/raw_profile.h"
#include "engine/support/index_table.h"
#include "engine/support/saturating.h"

namespace gprof {

// Calls of one site differ in self_pc, those of one function in from_pc: the hash takes both.
[[nodiscard]] inline std::uint64_t key_hash(const RawArc& arc) {
  return hash_of(arc.self_pc.value, arc.from_pc.value);
}
[[nodiscard]] inline bool same_key(const RawArc& a, const RawArc& b) {
  return a.from_pc == b.from_pc && a.self_pc == b.self_pc;
}

// By the first part of the key.
[[nodiscard]] inline Address key_order(const RawArc& arc) { return arc.from_pc; }

[[nodiscard]] inline std::uint64_t key_hash(const BlockCount& block) {
  return hash_of(block.address.value, 0);
}
[[nodiscard]] inline bool same_key(const BlockCount& a, const BlockCount& b) {
  return a.address == b.address;
}
[[nodiscard]] inline Address key_order(const BlockCount& block) { return block.address; }

// Of RawArc or BlockCount.
template <typename Entry>
class CountList {
 public:
  // Before `count` entries are added.
  void expect(std::size_t count) {
    if (entries_.empty()) entries_.reserve(count);
  }

  void add(const Entry& entry) {
    if (!find_near(entry)) find_or_add(entry);
  }

  // The list is empty afterwards.
  [[nodiscard]] std::vector<Entry> take() {
    std::vector<Entry> entries = std::move(entries_);
    *this = CountList();
    return entries;
  }

 private:
  [[nodiscard]] bool stands_at(std::size_t place, const Entry& entry) const {
    return place < entries_.size() && same_key(entries_[place], entry);
  }

  void add_to(std::size_t place, const Entry& entry) {
    entries_[place].count = saturating_add(entries_[place].count, entry.count);
    expected_ = place + 1;
  }

  // Whether it was where it was expected: next in the order of the list, or after one that is left
  // out this time; or so behind the place from which the order last went elsewhere, as it does to
  // what the first lists did not have and stands at the end.
  bool find_near(const Entry& entry) {
    if (stands_at(expected_, entry)) {
      add_to(expected_, entry);
      return true;
    }
    if (stands_at(left_, entry) || stands_at(left_ + 1, entry)) {
      const std::size_t place = stands_at(left_, entry) ? left_ : left_ + 1;
      left_ = expected_;
      add_to(place, entry);
      return true;
    }
    if (!stands_at(expected_ + 1, entry)) return false;
    add_to(expected_ + 1, entry);
    return true;
  }

  void find_or_add(const Entry& entry) {
    if (room_ == 0 && append_in_order(entry)) return;
    if (entries_.size() >= room_) make_table();
    const auto next = static_cast<std::uint32_t>(entries_.size());
    const auto same = [&](std::uint32_t known) { return same_key(entries_[known], entry); };
    const std::uint32_t place = places_.find_or_add(key_hash(entry), next, same);
    left_ = expected_;
    if (place == next) {
      entries_.push_back(entry);
      expected_ = entries_.size();
    } else {
      add_to(place, entry);
    }
  }

  // Only while all entries stand in ascending order. False where that does not show that the entry
  // is new.
  bool append_in_order(const Entry& entry) {
    for (std::size_t i = entries_.size(); i-- > 0;) {
      if (key_order(entries_[i]) < key_order(entry)) break;
      if (key_order(entry) < key_order(entries_[i])) return false;
      if (same_key(entries_[i], entry) || entries_.size() - i > longest_look_back) return false;
    }
    entries_.push_back(entry);
    expected_ = entries_.size();
    return true;
  }

  void make_table() {
    room_ = 2 * entries_.size() + 1;
    places_ = IndexTable(room_);
    std::uint32_t next = 0;
    const auto never = [](std::uint32_t) { return false; };  // keys differ already
    for (const Entry& entry : entries_) places_.find_or_add(key_hash(entry), next++, never);
  }

  // Calls that one place makes are few; where they are not, the table is quicker.
  static constexpr std::size_t longest_look_back = 8;

  std::vector<Entry> entries_;
  IndexTable places_{0};
  std::size_t room_ = 0;      // of places_; 0: not needed so far
  std::size_t expected_ = 0;  // where the next entry stands if the order is that of the list
  std::size_t left_ = 0;      // where it was expected when it was last found elsewhere
};

}  // namespace gprof
