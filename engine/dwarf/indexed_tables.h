// The tables that a unit's attributes index: addresses and strings (DWARF 5, sections 7.26, 7.27;
// the GNU extensions of DWARF 4 for split units, whose tables have no header).
//
// Ownership: borrows the sections. Thread contract: immutable data, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/dwarf/dwarf_sections.h"
#include "engine/dwarf/unit_headers.h"
#include "engine/support/units.h"

namespace gprof::dwarf {

// Where a unit's shares of the common tables start, from its unit DIE. If that does not say, the
// first share of the table is meant.
struct UnitBases {
  std::optional<std::uint64_t> string_offsets;
  std::optional<std::uint64_t> addresses;
  std::optional<std::uint64_t> range_lists;
  std::uint64_t split_ranges = 0;  // DW_AT_GNU_ranges_base: for the split unit of a skeleton
  Address low_pc;                  // base address of range lists
};

// Whether values of a form are indexes into the respective table.
[[nodiscard]] bool is_string_index(std::uint16_t form);
[[nodiscard]] bool is_address_index(std::uint16_t form);

[[nodiscard]] PointerWidth address_width(const UnitHeader& header);

[[nodiscard]] std::optional<Address> address_at_index(const DwarfSections& sections,
                                                      const UnitHeader& header,
                                                      const UnitBases& bases, std::uint64_t index);

[[nodiscard]] std::optional<std::string_view> string_at_index(const DwarfSections& sections,
                                                              const UnitHeader& header,
                                                              const UnitBases& bases,
                                                              std::uint64_t index);

}  // namespace gprof::dwarf
