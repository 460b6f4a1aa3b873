// The code already claimed, for programs where several units describe the same code.
//
// Thread contract: one thread.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>

#include "engine/support/units.h"

namespace gprof {

class CoveredRanges {
 public:
  [[nodiscard]] bool is_free(AddressRange range) const {
    auto after = claims_.lower_bound(range.high);
    return after == claims_.begin() || std::prev(after)->second <= range.low;
  }

  // Calls `take` with the unclaimed parts of `range`, ascending.
  template <typename Take>
  void free_parts(AddressRange range, const Take& take) const {
    auto claim = claims_.upper_bound(range.low);
    if (claim != claims_.begin()) {
      range.low = std::max(range.low, std::prev(claim)->second);
    }
    for (; claim != claims_.end() && claim->first < range.high; ++claim) {
      if (range.low < claim->first) take(AddressRange{range.low, claim->first});
      range.low = std::max(range.low, claim->second);
    }
    if (!range.empty()) take(range);
  }

  void add(AddressRange range) {
    auto next = claims_.upper_bound(range.low);
    if (next != claims_.begin() && std::prev(next)->second >= range.low) {
      --next;
      range.low = next->first;
    }
    while (next != claims_.end() && next->first <= range.high) {
      range.high = std::max(range.high, next->second);
      next = claims_.erase(next);
    }
    claims_.emplace(range.low, range.high);
  }

 private:
  std::map<Address, Address> claims_;  // disjoint, not touching
};

}  // namespace gprof
