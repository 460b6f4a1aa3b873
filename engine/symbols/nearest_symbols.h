// The symbol that code without debug information is named after: the nearest one before it, of all
// that are not data, also those that GNU gprof's policy leaves out of a report.
//
// Ownership: names are views of the image's string table. Thread contract: immutable.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/object/image.h"

namespace gprof {

struct NearestSymbol {
  Address address;
  Address end;  // by its size; right behind `address` where it has none
  std::string_view name;
};

class NearestSymbols {
 public:
  // Symbols of that section. None where the image has no table that can be read.
  NearestSymbols(const Image& image, const Section& section);

  // By rising address, one an address.
  [[nodiscard]] std::span<const NearestSymbol> all() const { return symbols_; }
  // Null where none stands exactly there.
  [[nodiscard]] const NearestSymbol* at(Address address) const;

 private:
  std::vector<NearestSymbol> symbols_;
};

}  // namespace gprof
