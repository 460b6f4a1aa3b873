// The shape of a unit's entries (DWARF 5, section 7.5.3): for each code, the tag and the names and
// forms of the attributes.
//
// A table is read only as far as its codes are asked for: units may share a long one. Memory is
// bounded by the bytes of .debug_abbrev.
//
// Ownership: borrows the sections. Thread contract: one thread. Errors: corrupt.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/dwarf/byte_cursor.h"
#include "engine/dwarf/dwarf_sections.h"
#include "engine/dwarf/unit_headers.h"

namespace gprof::dwarf {

struct AttributeForm {
  std::uint16_t name = 0;           // DW_AT_*
  std::uint16_t form = 0;           // DW_FORM_*
  std::int64_t implicit_value = 0;  // of DW_FORM_implicit_const
};

// How to skip the attributes: a number of bytes, then one attribute that states its own size.
struct AttributeSkip {
  std::uint32_t bytes = 0;
  std::uint16_t form = 0;
  bool is_sibling = false;  // DW_AT_sibling, in any form
};

struct Abbreviation {
  std::uint64_t code = 0;
  std::uint16_t tag = 0;  // DW_TAG_*
  bool has_children = false;
  std::uint32_t first_attribute = 0;
  std::uint32_t attribute_count = 0;
  std::uint32_t first_skip = 0;
  std::uint32_t skip_count = 0;
  std::uint32_t last_bytes = 0;  // after the last of the skips
};

// The size of a form's values, in bytes; none if it varies or the form is unknown.
[[nodiscard]] std::optional<std::uint8_t> fixed_size(std::uint16_t form, const UnitHeader& header);

class Abbreviations {
 public:
  // Precondition: header.abbrev_offset lies in the section.
  Abbreviations(const DwarfSections& sections, const UnitHeader& header);

  // Null if the table has no such code or is damaged before it. Valid until the next find().
  [[nodiscard]] const Abbreviation* find(std::uint64_t code) {
    if (code - 1 < table_.size() && table_[code - 1].code == code) return &table_[code - 1];
    return find_slowly(code);
  }
  // In .debug_abbrev, so far.
  [[nodiscard]] std::uint64_t bytes_read() const { return cursor_.position(); }
  [[nodiscard]] std::span<const AttributeForm> attributes(const Abbreviation& abbreviation) const {
    return std::span(attributes_)
        .subspan(abbreviation.first_attribute, abbreviation.attribute_count);
  }
  [[nodiscard]] std::span<const AttributeSkip> skips(const Abbreviation& abbreviation) const {
    return std::span(skips_).subspan(abbreviation.first_skip, abbreviation.skip_count);
  }

 private:
  const Abbreviation* find_slowly(std::uint64_t code);
  bool read_next();
  bool read_attributes(Abbreviation& abbreviation);
  void add_skip(const AttributeForm& attribute, Abbreviation& abbreviation);

  UnitHeader header_;
  ByteCursor cursor_;
  bool finished_ = false;
  // Compilers number their codes from 1; codes out of order are in `others_`.
  std::vector<Abbreviation> table_;
  std::unordered_map<std::uint64_t, std::size_t> others_;
  std::vector<AttributeForm> attributes_;
  std::vector<AttributeSkip> skips_;
};

}  // namespace gprof::dwarf
