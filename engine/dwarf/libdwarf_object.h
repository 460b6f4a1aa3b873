// libdwarf's view of an object file, by names that hold before and after its version 0.1, which
// renamed them all.
//
// Ownership: libdwarf keeps a pointer to an Interface, which keeps one to Methods; both must
// outlive the handle.
#pragma once

#include <dwarf.h>
#include <libdwarf.h>

namespace gprof::dwarf::libdwarf_object {

#ifdef DW_LIBDWARF_VERSION

using Interface = Dwarf_Obj_Access_Interface_a;
using Methods = Dwarf_Obj_Access_Methods_a;
using Section = Dwarf_Obj_Access_Section_a;
using SectionIndex = Dwarf_Unsigned;
using ByteOrder = Dwarf_Small;
inline constexpr ByteOrder least_significant_first = DW_END_little;
inline constexpr ByteOrder most_significant_first = DW_END_big;

#else

using Interface = Dwarf_Obj_Access_Interface;
using Methods = Dwarf_Obj_Access_Methods;
using Section = Dwarf_Obj_Access_Section;
using SectionIndex = Dwarf_Half;
using ByteOrder = Dwarf_Endianness;
inline constexpr ByteOrder least_significant_first = DW_OBJECT_LSB;
inline constexpr ByteOrder most_significant_first = DW_OBJECT_MSB;

#endif

inline Section section(const char* name, Dwarf_Unsigned size) {
  constexpr Dwarf_Unsigned program_bits = 1;  // SHT_PROGBITS
  Section result{};
#ifdef DW_LIBDWARF_VERSION
  result.as_name = name;
  result.as_size = size;
  result.as_type = program_bits;
#else
  result.name = name;
  result.size = size;
  result.type = program_bits;
#endif
  return result;
}

// ACCESS has static functions of these names, each with the object as its first argument.
template <typename Access>
Methods methods_of() {
  Methods methods{};
#ifdef DW_LIBDWARF_VERSION
  methods.om_get_section_info = Access::section_info;
  methods.om_get_byte_order = Access::byte_order;
  methods.om_get_length_size = Access::length_size;
  methods.om_get_pointer_size = Access::pointer_size;
  methods.om_get_filesize = Access::file_size;
  methods.om_get_section_count = Access::section_count;
  methods.om_load_section = Access::load_section;
#else
  methods.get_section_info = Access::section_info;
  methods.get_byte_order = Access::byte_order;
  methods.get_length_size = Access::length_size;
  methods.get_pointer_size = Access::pointer_size;
  methods.get_section_count = Access::section_count;
  methods.load_section = Access::load_section;
#endif
  return methods;
}

// Frees the handle.
inline void finish(Dwarf_Debug debug) {
#ifdef DW_LIBDWARF_VERSION
  dwarf_object_finish(debug);
#else
  Dwarf_Error error = nullptr;
  if (dwarf_object_finish(debug, &error) == DW_DLV_ERROR && error != nullptr) {
    dwarf_dealloc_error(nullptr, error);
  }
#endif
}

// Where in .debug_info the attribute refers to.
inline int reference(Dwarf_Attribute attribute, Dwarf_Off* place, Dwarf_Error* error) {
#ifdef DW_LIBDWARF_VERSION
  Dwarf_Bool is_within_info = true;
  return dwarf_formref(attribute, place, &is_within_info, error);
#else
  return dwarf_formref(attribute, place, error);
#endif
}

}  // namespace gprof::dwarf::libdwarf_object
