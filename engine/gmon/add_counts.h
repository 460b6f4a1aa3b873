// Merges two entries of a profile's tables that differ only in their counts.
//
// Thread contract: pure functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "engine/support/saturating.h"

namespace gprof {

template <typename Entry>
void add_counts(Entry& sum, const Entry& entry) {
  sum.count = saturating_add(sum.count, entry.count);
  if constexpr (requires { sum.excess_variance; }) {
    sum.excess_variance = saturating_add(sum.excess_variance, entry.excess_variance);
  }
  if constexpr (requires { sum.kernel_count; }) {
    using Count = decltype(sum.kernel_count);  // narrower in parts
    constexpr std::uint64_t most = std::numeric_limits<Count>::max();
    sum.kernel_count =
        static_cast<Count>(std::min(most, saturating_add(sum.kernel_count, entry.kernel_count)));
  }
}

}  // namespace gprof
