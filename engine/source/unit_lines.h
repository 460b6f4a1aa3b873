// What the source index needs of one compilation unit, decoded and laid out for look-ups.
//
// Units: link-time addresses. Ownership: owns its data. Thread contract: immutable.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/dwarf/debug_information.h"

namespace gprof {

// Code of one line: `range` came from `line` of `file`.
struct LineExtent {
  AddressRange range;
  FileId file = no_file;
  LineNumber line = 0;
  std::uint32_t column = 0;
};

// The extents of a unit's rows, ascending and disjoint. Of several rows at one address the last
// one counts; rows without a line leave a gap.
[[nodiscard]] std::vector<LineExtent> line_extents(std::span<const LineRow> rows);

class UnitLines {
 public:
  UnitLines(std::vector<LineExtent> extents, UnitFunctions functions);

  [[nodiscard]] std::span<const LineExtent> extents() const { return extents_; }
  [[nodiscard]] const UnitFunctions& functions() const { return functions_; }
  [[nodiscard]] const LineExtent* extent_at(Address address) const;
  // The innermost inlined call whose code contains the address.
  [[nodiscard]] std::optional<std::uint32_t> inlined_call_at(Address address) const;
  // The out-of-line function whose code contains the address.
  [[nodiscard]] const Subprogram* subprogram_at(Address address) const;
  // For cache statistics: the approximate size in bytes.
  [[nodiscard]] std::size_t footprint() const;

 private:
  struct Span {
    AddressRange range;
    std::uint32_t index;  // of a subprogram or of an inlined call
  };

  std::vector<LineExtent> extents_;
  UnitFunctions functions_;
  std::vector<Span> subprogram_spans_;  // ascending
  // Innermost inlined calls, flattened: ascending and disjoint.
  std::vector<Span> inlined_spans_;
};

}  // namespace gprof
