// The symbol that names code without debug information: the nearest one before it that is not data,
// including those that GNU gprof's policy leaves out of a report.
//
// Ownership: names are views of the image's string table. Thread contract: immutable.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/object/code_ranges.h"
#include "engine/object/image.h"

namespace gprof {

struct NearestSymbol {
  Address address;
  Address end;  // by its size; right after `address` if it has none
  std::string_view name;
};

class NearestSymbols {
 public:
  // The symbols of that code. None if the image has no readable table.
  NearestSymbols(const Image& image, const ReportedCode& code);

  // By ascending address, one per address.
  [[nodiscard]] std::span<const NearestSymbol> all() const { return symbols_; }
  // Null if there is none at exactly that address.
  [[nodiscard]] const NearestSymbol* at(Address address) const;

 private:
  std::vector<NearestSymbol> symbols_;
};

}  // namespace gprof
