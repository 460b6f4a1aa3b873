// Where in a list of symbols, ascending by address, an address belongs: found in a step or two by
// cutting the addresses into equal parts, where halving the list would take one for each doubling
// of its length.
//
// Ownership: keeps no reference to the symbols. Thread contract: immutable. Errors: none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/support/units.h"

namespace gprof {

struct Symbol;

class AddressIndex {
 public:
  AddressIndex() = default;
  explicit AddressIndex(std::span<const Symbol> symbols);

  // How many of the symbols, which must be those of the constructor, start at or below the address.
  [[nodiscard]] std::size_t starting_by(Address address, std::span<const Symbol> symbols) const;

 private:
  Address low_;
  unsigned shift_ = 0;                // a part has 1 << shift_ addresses
  std::vector<std::uint32_t> first_;  // by part: the first symbol in it or behind it; and the end
};

}  // namespace gprof
