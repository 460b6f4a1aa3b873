// Merges two entries of a profile's tables that differ only in their counts.
//
// Thread contract: pure functions.
#pragma once

#include "engine/support/saturating.h"

namespace gprof {

template <typename Entry>
void add_counts(Entry& sum, const Entry& entry) {
  sum.count = saturating_add(sum.count, entry.count);
  if constexpr (requires { sum.excess_variance; }) {
    sum.excess_variance = saturating_add(sum.excess_variance, entry.excess_variance);
  }
}

}  // namespace gprof
