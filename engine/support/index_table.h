// Finds the elements of a growing list by key: a hash table of list positions, with open addressing
// and one allocation. The list and its keys stay the caller's.
//
// Thread contract: one thread. Errors: none.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/support/hash_seed.h"

namespace gprof {

class IndexTable {
 public:
  // `most`: the largest number of elements the list can reach.
  explicit IndexTable(std::size_t most)
      : places_(std::bit_ceil(2 * most + 2), empty),
        shift_(64 - static_cast<unsigned>(std::countr_zero(places_.size()))) {}

  // The place of the element that satisfies same(place) or, if there is none, `next`, the place the
  // caller is about to give it. Hashes must differ in their upper bits.
  template <typename Same>
  std::uint32_t find_or_add(std::uint64_t hash, std::uint32_t next, const Same& same) {
    for (std::size_t slot = hash >> shift_;; slot = (slot + 1) & (places_.size() - 1)) {
      if (places_[slot] == empty) places_[slot] = next;
      if (places_[slot] == next || same(places_[slot])) return places_[slot];
    }
  }

 private:
  static constexpr std::uint32_t empty = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> places_;
  unsigned shift_;
};

}  // namespace gprof
