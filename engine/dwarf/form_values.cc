#include "engine/dwarf/form_values.h"

#include <limits>
#include <utility>

#include <dwarf.h>

namespace gprof::dwarf {

std::optional<std::string_view> FormValues::string(const EntryAttribute& attribute) const {
  if (is_string_index(attribute.form)) {
    return string_at_index(sections_, header_, bases_, attribute.value);
  }
  const auto found = [](const Expected<std::string_view>& text) {
    return text ? std::optional(*text) : std::nullopt;
  };
  switch (attribute.form) {
    case DW_FORM_string:
      return attribute.text;
    case DW_FORM_strp:
      return found(sections_.text_at(attribute.value));
    case DW_FORM_line_strp:
      return found(string_at(sections_.line_str, attribute.value, sections_, ".debug_line_str"));
    default:
      return std::nullopt;  // in a supplementary file, or not a string
  }
}

std::optional<Address> FormValues::address(const EntryAttribute& attribute) const {
  if (is_address_index(attribute.form)) {
    return address_at_index(sections_, header_, bases_, attribute.value);
  }
  if (attribute.form != DW_FORM_addr) return std::nullopt;
  return Address{attribute.value};
}

std::optional<std::uint64_t> FormValues::number(const EntryAttribute& attribute) const {
  switch (attribute.form) {
    case DW_FORM_data1:
    case DW_FORM_data2:
    case DW_FORM_data4:
    case DW_FORM_data8:
    case DW_FORM_udata:
    case DW_FORM_sec_offset:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
      return attribute.value;
    case DW_FORM_sdata:
    case DW_FORM_implicit_const: {
      const bool negative = attribute.value > std::numeric_limits<std::uint64_t>::max() / 2;
      return negative ? std::nullopt : std::optional(attribute.value);
    }
    default:
      return std::nullopt;
  }
}

std::optional<Address> FormValues::high_pc(const EntryAttribute& attribute, Address low) const {
  if (attribute.form == DW_FORM_addr || is_address_index(attribute.form)) return address(attribute);
  const auto length = number(attribute);
  if (!length) return std::nullopt;
  return low + *length;
}

Expected<std::vector<AddressRange>> FormValues::ranges(const EntryAttribute& attribute) {
  const auto value = number(attribute);
  if (!value) return std::vector<AddressRange>{};
  if (attribute.form == DW_FORM_rnglistx) return range_lists_.at_index(*value, bases_);
  const bool from_base = split_ && header_.version < 5;
  return range_lists_.at_offset(*value + (from_base ? bases_.split_ranges : 0), bases_);
}

}  // namespace gprof::dwarf
