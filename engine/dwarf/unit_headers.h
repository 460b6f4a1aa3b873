// The headers of the units in .debug_info (DWARF 5, section 7.5.1; DWARF 4, section 7.5.1.1).
//
// They are read here rather than by libdwarf, which stops at the first damaged one: each unit that
// is sound is then given to a libdwarf handle of its own, so that damage stays where it is.
// Errors: none; what is damaged is skipped and named in the warnings.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/dwarf/dwarf_sections.h"

namespace gprof::dwarf {

enum class UnitKind : std::uint8_t { compile, partial, skeleton, split_compile, type };

struct UnitHeader {
  std::uint64_t offset = 0;  // in .debug_info, of the length field
  std::uint64_t end = 0;     // one past its last byte
  std::uint64_t abbrev_offset = 0;
  std::optional<std::uint64_t> split_id;  // DWARF 5 skeleton and split units
  std::uint16_t version = 0;
  std::uint8_t offset_size = 4;   // 8 for 64-bit DWARF
  std::uint8_t address_size = 8;  // 4 or 8
  UnitKind kind = UnitKind::compile;
};

// In the order of the section. Kinds other than partial are what the header says: before DWARF 5
// a header does not tell a partial or a skeleton unit from others.
[[nodiscard]] std::vector<UnitHeader> read_unit_headers(const DwarfSections& sections,
                                                        Warnings& warnings);

}  // namespace gprof::dwarf
