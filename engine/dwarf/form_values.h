// What the attributes of a unit's entries mean: strings, addresses, numbers, references and range
// lists, direct or by index into a table.
//
// Units: references are offsets in the whole .debug_info. Ownership: borrows the sections; strings
// are views of their bytes. Thread contract: one thread.
// Errors: a single unreadable value is absent; an unreadable range list is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/dwarf/die_reader.h"
#include "engine/dwarf/dwarf_sections.h"
#include "engine/dwarf/indexed_tables.h"
#include "engine/dwarf/range_lists.h"

namespace gprof::dwarf {

class FormValues {
 public:
  FormValues(const DwarfSections& sections, const UnitHeader& header)
      : sections_(sections), header_(header), range_lists_(sections, header) {}

  void set_bases(const UnitBases& bases) { bases_ = bases; }
  [[nodiscard]] const DwarfSections& sections() const { return sections_; }
  [[nodiscard]] const UnitHeader& header() const { return header_; }
  // Split units of DWARF 4 have ranges relative to the skeleton's base.
  void set_split(bool split) { split_ = split; }

  [[nodiscard]] std::optional<std::string_view> string(const EntryAttribute& attribute) const;
  [[nodiscard]] std::optional<Address> address(const EntryAttribute& attribute) const;
  // Includes offsets into other sections. None if negative.
  [[nodiscard]] std::optional<std::uint64_t> number(const EntryAttribute& attribute) const;
  // To an entry in this unit or another; absent for references into other files.
  [[nodiscard]] std::optional<std::uint64_t> reference(const EntryAttribute& attribute) const {
    return dwarf::reference(attribute, header_);
  }
  // The end that DW_AT_high_pc gives: an address, or a length from `low`.
  [[nodiscard]] std::optional<Address> high_pc(const EntryAttribute& attribute, Address low) const;
  // The ranges that DW_AT_ranges refers to, without empty ones.
  [[nodiscard]] Expected<std::vector<AddressRange>> ranges(const EntryAttribute& attribute);
  [[nodiscard]] std::uint64_t range_entries_read() const { return range_lists_.entries_read(); }

 private:
  const DwarfSections& sections_;
  UnitHeader header_;
  UnitBases bases_;
  bool split_ = false;
  RangeLists range_lists_;
};

}  // namespace gprof::dwarf
