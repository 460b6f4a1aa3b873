// The values of a unit's attributes: strings, addresses, numbers, references and range lists,
// direct or by index into a table.
//
// Units: references are offsets in the whole .debug_info. Ownership: borrows the sections and the
// handle; strings are views of the sections' bytes. Thread contract: as for the LibdwarfUnit.
// Errors: a single unreadable value is absent; an unreadable range list is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <libdwarf.h>

#include "engine/dwarf/dwarf_sections.h"
#include "engine/dwarf/indexed_tables.h"
#include "engine/dwarf/libdwarf_unit.h"
#include "engine/dwarf/range_lists.h"

namespace gprof::dwarf {

class UnitValues {
 public:
  UnitValues(const DwarfSections& sections, const LibdwarfUnit& unit)
      : sections_(sections),
        header_(unit.header()),
        unit_(unit),
        debug_(unit.debug()),
        range_lists_(sections, unit.header()) {}

  void set_bases(const UnitBases& bases) { bases_ = bases; }
  [[nodiscard]] const UnitBases& bases() const { return bases_; }
  [[nodiscard]] const DwarfSections& sections() const { return sections_; }
  // Split units of DWARF 4 have ranges relative to the skeleton's base.
  void set_split(bool split) { split_ = split; }

  [[nodiscard]] std::optional<std::string_view> string(Dwarf_Attribute attribute) const;
  [[nodiscard]] std::optional<Address> address(Dwarf_Attribute attribute) const;
  [[nodiscard]] std::optional<std::uint64_t> number(Dwarf_Attribute attribute) const;
  [[nodiscard]] bool flag(Dwarf_Attribute attribute) const;
  // To a DIE in this unit or another; absent for references into other files.
  [[nodiscard]] std::optional<std::uint64_t> reference(Dwarf_Attribute attribute) const;
  // The end that DW_AT_high_pc gives: an address, or a length from `low`.
  [[nodiscard]] std::optional<Address> high_pc(Dwarf_Attribute attribute, Address low) const;
  // The ranges that DW_AT_ranges refers to, without empty ones.
  [[nodiscard]] Expected<std::vector<AddressRange>> ranges(Dwarf_Attribute attribute);
  [[nodiscard]] std::uint64_t range_entries_read() const { return range_lists_.entries_read(); }
  // DW_FORM_*.
  [[nodiscard]] std::optional<Dwarf_Half> form_of(Dwarf_Attribute attribute) const;

 private:
  template <typename Value, typename Read>
  std::optional<Value> value_of(Read read) const;

  const DwarfSections& sections_;
  UnitHeader header_;
  const LibdwarfUnit& unit_;
  Dwarf_Debug debug_;
  UnitBases bases_;
  bool split_ = false;
  RangeLists range_lists_;
};

}  // namespace gprof::dwarf
