// Lists of address ranges: .debug_ranges (DWARF 4, section 2.17.3) and .debug_rnglists (DWARF 5,
// section 7.25). Read here because libdwarf reads every list of the program before the first unit,
// and rejects them all if one is damaged.
//
// Ownership: borrows the sections. Thread contract: one thread at a time.
// Errors: corrupt. The total length of a unit's lists is bounded by what the section can hold, so
// that lists referred to over and over cannot exhaust memory.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/dwarf/dwarf_sections.h"
#include "engine/dwarf/indexed_tables.h"
#include "engine/dwarf/unit_headers.h"
#include "engine/support/expected.h"
#include "engine/support/units.h"

namespace gprof::dwarf {

class RangeLists {
 public:
  RangeLists(const DwarfSections& sections, const UnitHeader& header)
      : sections_(sections), header_(header) {}

  // The list at `offset` of .debug_ranges or, since DWARF 5, .debug_rnglists. Leaves out empty
  // ranges.
  [[nodiscard]] Expected<std::vector<AddressRange>> at_offset(std::uint64_t offset,
                                                              const UnitBases& bases);
  // The list with that number in the unit's share of .debug_rnglists.
  [[nodiscard]] Expected<std::vector<AddressRange>> at_index(std::uint64_t index,
                                                             const UnitBases& bases);
  // In all lists so far.
  [[nodiscard]] std::uint64_t entries_read() const { return entries_read_; }

 private:
  struct Ends;
  [[nodiscard]] Expected<std::vector<AddressRange>> old_list(std::uint64_t offset,
                                                             const UnitBases& bases);
  [[nodiscard]] Expected<std::vector<AddressRange>> new_list(std::uint64_t offset,
                                                             const UnitBases& bases);
  [[nodiscard]] Expected<Ends> read_ends(ByteReader& reader, std::uint8_t kind,
                                         const UnitBases& bases, std::optional<Address> base) const;
  [[nodiscard]] Expected<void> count_entry(std::uint64_t section_size);
  [[nodiscard]] std::uint64_t wrapped(std::uint64_t address) const;

  const DwarfSections& sections_;
  UnitHeader header_;
  std::uint64_t entries_read_ = 0;
};

}  // namespace gprof::dwarf
