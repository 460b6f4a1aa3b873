#include "engine/dwarf/unit_values.h"

#include <utility>

#include <dwarf.h>

namespace gprof::dwarf {
// A libdwarf result as a value. Errors only mean that there is none; they are freed.
template <typename Value, typename Read>
std::optional<Value> UnitValues::value_of(Read read) const {
  Value value{};
  Dwarf_Error error = nullptr;
  if (read(&value, &error) == DW_DLV_OK) return value;
  if (error != nullptr) dwarf_dealloc_error(debug_, error);
  return std::nullopt;
}

std::optional<Dwarf_Half> UnitValues::form_of(Dwarf_Attribute attribute) const {
  return value_of<Dwarf_Half>(
      [&](Dwarf_Half* form, Dwarf_Error* error) { return dwarf_whatform(attribute, form, error); });
}

std::optional<std::string_view> UnitValues::string(Dwarf_Attribute attribute) const {
  const auto form = form_of(attribute);
  if (!form) return std::nullopt;
  if (is_string_index(*form)) {
    const auto index = value_of<Dwarf_Unsigned>([&](Dwarf_Unsigned* result, Dwarf_Error* error) {
      return dwarf_get_debug_str_index(attribute, result, error);
    });
    if (!index) return std::nullopt;
    return string_at_index(sections_, header_, bases_, *index);
  }
  // Not by libdwarf, which looks for a string's end without bounds.
  if (*form == DW_FORM_strp || *form == DW_FORM_line_strp) {
    const auto offset = unit_.section_offset(attribute);
    if (!offset) return std::nullopt;
    const auto text = *form == DW_FORM_strp
                          ? sections_.text_at(*offset)
                          : string_at(sections_.line_str, *offset, sections_, ".debug_line_str");
    return text ? std::optional(*text) : std::nullopt;
  }
  const auto text = value_of<char*>([&](char** result, Dwarf_Error* error) {
    return dwarf_formstring(attribute, result, error);
  });
  if (!text || *text == nullptr) return std::nullopt;
  return std::string_view(*text);
}

std::optional<Address> UnitValues::address(Dwarf_Attribute attribute) const {
  const auto form = form_of(attribute);
  if (!form) return std::nullopt;
  if (is_address_index(*form)) {
    const auto index = value_of<Dwarf_Unsigned>([&](Dwarf_Unsigned* result, Dwarf_Error* error) {
      return dwarf_get_debug_addr_index(attribute, result, error);
    });
    if (!index) return std::nullopt;
    return address_at_index(sections_, header_, bases_, *index);
  }
  const auto value = value_of<Dwarf_Addr>([&](Dwarf_Addr* result, Dwarf_Error* error) {
    return dwarf_formaddr(attribute, result, error);
  });
  if (!value) return std::nullopt;
  return Address{*value};
}

std::optional<std::uint64_t> UnitValues::number(Dwarf_Attribute attribute) const {
  const auto value = value_of<Dwarf_Unsigned>([&](Dwarf_Unsigned* result, Dwarf_Error* error) {
    return dwarf_formudata(attribute, result, error);
  });
  if (value) return *value;
  const auto offset = value_of<Dwarf_Off>([&](Dwarf_Off* result, Dwarf_Error* error) {
    return dwarf_global_formref(attribute, result, error);
  });
  if (offset) return *offset;
  const auto with_sign = value_of<Dwarf_Signed>([&](Dwarf_Signed* result, Dwarf_Error* error) {
    return dwarf_formsdata(attribute, result, error);
  });
  if (with_sign && *with_sign >= 0) return static_cast<std::uint64_t>(*with_sign);
  return std::nullopt;
}

bool UnitValues::flag(Dwarf_Attribute attribute) const {
  const auto value = value_of<Dwarf_Bool>([&](Dwarf_Bool* result, Dwarf_Error* error) {
    return dwarf_formflag(attribute, result, error);
  });
  return value.value_or(0) != 0;
}

std::optional<std::uint64_t> UnitValues::reference(Dwarf_Attribute attribute) const {
  const auto form = form_of(attribute);
  if (!form) return std::nullopt;
  switch (*form) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata: {
      const auto inside = value_of<Dwarf_Off>([&](Dwarf_Off* result, Dwarf_Error* error) {
        return dwarf_formref(attribute, result, error);
      });
      if (!inside) return std::nullopt;
      return header_.offset + *inside;
    }
    case DW_FORM_ref_addr: {
      const auto anywhere = value_of<Dwarf_Off>([&](Dwarf_Off* result, Dwarf_Error* error) {
        return dwarf_global_formref(attribute, result, error);
      });
      if (!anywhere) return std::nullopt;
      return *anywhere;
    }
    default:
      return std::nullopt;  // type units and supplementary files
  }
}

std::optional<Address> UnitValues::high_pc(Dwarf_Attribute attribute, Address low) const {
  const auto form = form_of(attribute);
  if (!form) return std::nullopt;
  if (*form == DW_FORM_addr || is_address_index(*form)) return address(attribute);
  const auto length = number(attribute);
  if (!length) return std::nullopt;
  return low + *length;
}

Expected<std::vector<AddressRange>> UnitValues::ranges(Dwarf_Attribute attribute) {
  const auto form = form_of(attribute);
  const auto value = number(attribute);
  if (!form || !value) return std::vector<AddressRange>{};
  if (*form == DW_FORM_rnglistx) return range_lists_.at_index(*value, bases_);
  const bool from_base = split_ && header_.version < 5;
  return range_lists_.at_offset(*value + (from_base ? bases_.split_ranges : 0), bases_);
}

}  // namespace gprof::dwarf
