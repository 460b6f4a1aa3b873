// Keeps what units read of .debug_line within what the section holds: any number of units may name
// one line table, and tables may lie within one another. Compilers give each unit its own; units
// that dwz made share those of others, whose rows they do not have.
//
// Thread contract: pure functions. Errors: none; units that would read more than
// most_shared_bytes() are left without lines, and counted in one warning.
#pragma once

#include <vector>

#include "engine/dwarf/dwarf_sections.h"
#include "engine/dwarf/unit_records.h"

namespace gprof::dwarf {

void bound_line_tables(std::vector<UnitRecord>& records, const DwarfSections& sections,
                       Warnings& warnings);

}  // namespace gprof::dwarf
