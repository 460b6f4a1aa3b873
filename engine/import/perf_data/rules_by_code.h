// The rules that are known of places in the code: a hash table with open addressing. Millions of
// frames are looked up among hundreds of thousands of places, where each step through memory
// counts.
//
// Ownership: the rules are the caller's. Thread contract: one thread. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "engine/support/index_table.h"

namespace gprof::perf_data {

template <typename Rules>
class RulesByCode {
 public:
  // Null: it is known that there are none.
  [[nodiscard]] std::optional<const Rules*> find(std::uint64_t code) const {
    if (slots_.empty()) return std::nullopt;
    const Slot& slot = slots_[place_of(code)];
    return slot.code == code && code != no_code ? std::optional(slot.rules) : std::nullopt;
  }

  // Of code that is not found yet. The last of all addresses is never found.
  void add(std::uint64_t code, const Rules* rules) {
    if (code == no_code) return;
    if (2 * (size_ + 1) > slots_.size()) grow();
    slots_[place_of(code)] = {code, rules};
    ++size_;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  void clear() {
    slots_.clear();
    size_ = 0;
  }

 private:
  static constexpr std::uint64_t no_code = std::numeric_limits<std::uint64_t>::max();
  struct Slot {
    std::uint64_t code = no_code;  // the slot is free
    const Rules* rules = nullptr;
  };
  static constexpr std::size_t fewest_slots = 1024;

  // The slot of the code, or the one that it would get.
  [[nodiscard]] std::size_t place_of(std::uint64_t code) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = static_cast<std::size_t>(hash_of(code, 0) >> 32U) & mask;
    while (slots_[place].code != no_code && slots_[place].code != code) place = (place + 1) & mask;
    return place;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? fewest_slots : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.code != no_code) slots_[place_of(slot.code)] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two
  std::size_t size_ = 0;
};

}  // namespace gprof::perf_data
