// The headers of the units in .debug_info (DWARF 5, section 7.5.1; DWARF 4, section 7.5.1.1).
//
// Read here, not by libdwarf, which stops at the first damaged one: each sound unit then gets a
// libdwarf handle of its own, so that damage stays local.
// Errors: none; damaged units are skipped and named in the warnings.
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

// In section order. Kinds other than partial come from the header: before DWARF 5, a header does
// not mark partial or skeleton units.
[[nodiscard]] std::vector<UnitHeader> read_unit_headers(const DwarfSections& sections,
                                                        Warnings& warnings);

}  // namespace gprof::dwarf
