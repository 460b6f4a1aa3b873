// Counts that add up by key, in the order in which their keys were first seen.
//
// Optimised for lists that repeat nearly the same keys in nearly the same order: an entry is first
// compared with the one that follows the previous match. As long as keys ascend, as collectors
// write them, no table of them is built. Counts saturate.
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

// Calls from one site differ in self_pc, those from one function in from_pc: the hash uses both.
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

// For RawArc or BlockCount.
template <typename Entry>
class CountList {
 public:
  // Call before adding `count` entries.
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

  // Whether the entry was found near its expected place: next in list order or after an entry that
  // is missing this time; or likewise after the place where the order last broke off, as it does
  // for keys that the first lists did not have, which are at the end.
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

  // Only while all entries are in ascending order. False if that does not prove the entry new.
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
    const auto never = [](std::uint32_t) { return false; };  // keys are known to differ
    for (const Entry& entry : entries_) places_.find_or_add(key_hash(entry), next++, never);
  }

  // One place makes few calls; if there are more, the table is faster.
  static constexpr std::size_t longest_look_back = 8;

  std::vector<Entry> entries_;
  IndexTable places_{0};
  std::size_t room_ = 0;      // of places_; 0: not needed so far
  std::size_t expected_ = 0;  // where the next entry is if the list's order continues
  std::size_t left_ = 0;      // where it was expected when last found elsewhere
};

}  // namespace gprof
