// All units of a program, as open() reads them.
//
// Thread contract: immutable once read. Errors: none; a unit that cannot be read is left out and
// named in the warnings.
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

// In the order of .debug_info, so with ascending offsets; partial units too, type units not.
[[nodiscard]] std::vector<UnitRecord> read_unit_records(const DwarfSections& sections,
                                                        const CodeFilter& code, Warnings& warnings);

// The record whose unit holds the offset of .debug_info; null where there is none.
[[nodiscard]] const UnitRecord* record_at(const std::vector<UnitRecord>& records,
                                          std::uint64_t offset);

}  // namespace gprof::dwarf
