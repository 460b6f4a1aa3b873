// All units of a program, as open() reads them.
//
// Thread contract: immutable once read. Errors: none; an unreadable unit is left out and named in
// the warnings.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/dwarf/code_filter.h"
#include "engine/dwarf/dwarf_sections.h"
#include "engine/dwarf/unit_summary.h"

namespace gprof::dwarf {

struct UnitRecord {
  UnitHeader header;
  UnitSummary summary;
};

// In .debug_info order, so with ascending offsets; includes partial units, not type units.
[[nodiscard]] std::vector<UnitRecord> read_unit_records(const DwarfSections& sections,
                                                        const CodeFilter& code, Warnings& warnings);

// The record of the unit that contains this offset of .debug_info; null if there is none.
[[nodiscard]] const UnitRecord* record_at(const std::vector<UnitRecord>& records,
                                          std::uint64_t offset);

}  // namespace gprof::dwarf
