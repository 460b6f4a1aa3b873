// Finds where an address belongs in a list of things with ascending `address`es. Takes a step or
// two by cutting the address range into equal parts, where binary search would take a step per
// doubling of the list.
//
// Ownership: keeps no reference to the list. Thread contract: immutable. Errors: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/support/flat_array.h"
#include "engine/support/stored_checks.h"
#include "engine/support/units.h"

namespace gprof {

class AddressIndex {
 public:
  AddressIndex() = default;
  template <typename Placed>
  explicit AddressIndex(std::span<const Placed> placed) {
    if (placed.empty()) return;
    low_ = placed.front().address;
    const std::uint64_t extent = placed.back().address - low_;
    while (shift_ < 63 && (extent >> shift_) > placed.size()) ++shift_;
    first_.resize((extent >> shift_) + 2);
    for (const Placed& one : placed) ++first_[((one.address - low_) >> shift_) + 1];
    for (std::size_t part = 1; part < first_.size(); ++part) first_[part] += first_[part - 1];
  }

  // All of it, to or from a stored index.
  template <typename Self, typename Stream>
  static void exchange(Self& self, Stream& stream) {
    stream.number(self.low_);
    stream.number(self.shift_);
    stream.array(self.first_);
  }

  // Whether a stored index belongs to this list.
  template <typename Placed>
  [[nodiscard]] bool is_of(std::span<const Placed> placed) const {
    if (placed.empty()) return first_.empty();
    if (shift_ > 63 || low_ != placed.front().address) return false;
    const std::uint64_t parts = ((placed.back().address - low_) >> shift_) + 1;
    return parts < first_.size() && are_parts(first_, parts, placed.size());
  }

  // How many elements of the list, the one the index was built from, start at or below the address.
  template <typename Placed>
  [[nodiscard]] std::size_t starting_by(Address address, std::span<const Placed> placed) const {
    if (first_.empty() || address < low_) return 0;
    const std::uint64_t part = (address - low_) >> shift_;
    if (part >= first_.size() - 1) return placed.size();
    const auto begin = placed.begin() + first_[part];
    const auto end = placed.begin() + first_[part + 1];
    const auto after = std::upper_bound(
        begin, end, address, [](Address a, const Placed& one) { return a < one.address; });
    return static_cast<std::size_t>(after - placed.begin());
  }

  // Prefetches what starting_by() will need: first the parts and, once those are cached, the list
  // elements.
  void prefetch(Address address) const {
    if (const std::uint32_t* first = first_of(address)) __builtin_prefetch(first);
  }
  template <typename Placed>
  void prefetch_placed(Address address, std::span<const Placed> placed) const {
    const std::uint32_t* first = first_of(address);
    if (first != nullptr && *first < placed.size()) __builtin_prefetch(&placed[*first]);
  }

 private:
  [[nodiscard]] const std::uint32_t* first_of(Address address) const {
    const std::uint64_t part = (address - low_) >> shift_;
    return address < low_ || part >= first_.size() ? nullptr : &first_[part];
  }

  Address low_;
  unsigned shift_ = 0;              // a part has 1 << shift_ addresses
  FlatArray<std::uint32_t> first_;  // by part: the first thing in or after it; and the end
};

}  // namespace gprof
