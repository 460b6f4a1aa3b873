// Which functions the compiler put where stacks were sampled: for each such address, the inlined
// functions that its code belongs to, by numbers that whoever fills this gives them.
//
// Units: link-time addresses. Ownership: owns its data. Thread contract: immutable once filled.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/support/units.h"

namespace gprof {

class InlinedChains {
 public:
  // The outermost inlined function first. Once per address.
  void add(Address address, std::span<const std::uint32_t> functions) {
    places_.emplace(address.value, Place{functions_.size(), functions.size()});
    functions_.insert(functions_.end(), functions.begin(), functions.end());
  }

  // Empty where nothing is inlined.
  [[nodiscard]] std::span<const std::uint32_t> at(Address address) const {
    const auto found = places_.find(address.value);
    if (found == places_.end()) return {};
    return std::span(functions_).subspan(found->second.first, found->second.count);
  }

 private:
  struct Place {
    std::size_t first = 0;
    std::size_t count = 0;
  };

  std::unordered_map<std::uint64_t, Place> places_;
  std::vector<std::uint32_t> functions_;
};

}  // namespace gprof
