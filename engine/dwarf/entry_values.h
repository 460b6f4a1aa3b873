// The values of the attributes that an EntryReader reads, as UnitValues tells those of libdwarf's.
//
// Ownership: borrows the sections; strings are views of their bytes. Thread contract: one thread.
// Errors: a single value that cannot be read is absent; a range list that cannot is an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/dwarf/dwarf_sections.h"
#include "engine/dwarf/entry_reader.h"
#include "engine/dwarf/indexed_tables.h"
#include "engine/dwarf/range_lists.h"

namespace gprof::dwarf {

class EntryValues {
 public:
  EntryValues(const DwarfSections& sections, const UnitHeader& header)
      : sections_(sections), header_(header), range_lists_(sections, header) {}

  void set_bases(const UnitBases& bases) { bases_ = bases; }
  [[nodiscard]] const DwarfSections& sections() const { return sections_; }
  // Split units of DWARF 4 count their ranges from the skeleton's base.
  void set_split(bool split) { split_ = split; }

  [[nodiscard]] std::optional<std::string_view> string(const EntryAttribute& attribute) const;
  [[nodiscard]] std::optional<Address> address(const EntryAttribute& attribute) const;
  // Also an offset into another section. None where it is negative.
  [[nodiscard]] std::optional<std::uint64_t> number(const EntryAttribute& attribute) const;
  [[nodiscard]] bool flag(const EntryAttribute& attribute) const;
  // To an entry of this unit or of another one; absent for references into other files.
  [[nodiscard]] std::optional<std::uint64_t> reference(const EntryAttribute& attribute) const {
    return dwarf::reference(attribute, header_);
  }
  [[nodiscard]] std::uint16_t form_of(const EntryAttribute& attribute) const {
    return attribute.form;
  }
  // The end that DW_AT_high_pc names: an address, or a length from `low`.
  [[nodiscard]] std::optional<Address> high_pc(const EntryAttribute& attribute, Address low) const;
  // What DW_AT_ranges names, without empty ranges.
  [[nodiscard]] Expected<std::vector<AddressRange>> ranges(const EntryAttribute& attribute);

 private:
  const DwarfSections& sections_;
  UnitHeader header_;
  UnitBases bases_;
  bool split_ = false;
  RangeLists range_lists_;
};

}  // namespace gprof::dwarf
