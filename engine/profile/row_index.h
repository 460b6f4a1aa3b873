// Finds the rows of a growing table by what they hold: a hash table of row numbers, with open
// addressing. The rows stay the caller's.
//
// Thread contract: one thread. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/profile/profile.h"

namespace gprof {

class RowIndex {
 public:
  // The row with that hash for which is_it(row); no_row if there is none.
  template <typename IsIt>
  [[nodiscard]] Row find(std::uint64_t hash, const IsIt& is_it) const {
    if (slots_.empty()) return no_row;
    const std::uint32_t part = part_of(hash);
    for (std::size_t place = part & mask();; place = (place + 1) & mask()) {
      const Slot& slot = slots_[place];
      if (slot.row == no_row || (slot.hash == part && is_it(slot.row))) return slot.row;
    }
  }
  // One that is not there yet.
  void add(std::uint64_t hash, Row row) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    put({part_of(hash), row});
    ++size_;
  }
  // Gives the memory back.
  void clear() { *this = RowIndex(); }

 private:
  // Part of the hash, so that few rows are looked at, and none when the table grows.
  struct Slot {
    std::uint32_t hash = 0;
    Row row = no_row;
  };

  static std::uint32_t part_of(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash >> 32U);
  }
  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  void put(Slot slot) {
    std::size_t place = slot.hash & mask();
    while (slots_[place].row != no_row) place = (place + 1) & mask();
    slots_[place] = slot;
  }
  void grow() {
    constexpr std::size_t at_first = 64;
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? at_first : 2 * old.size(), Slot());
    for (const Slot& slot : old) {
      if (slot.row != no_row) put(slot);
    }
  }

  std::vector<Slot> slots_;  // a power of two, or none
  std::size_t size_ = 0;
};

}  // namespace gprof
