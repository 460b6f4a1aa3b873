// Limits what units read of .debug_line to the size of the section: any number of units may refer
// to one line table, and tables may overlap. Compilers give each unit its own; units made by dwz
// share those of others, but not their rows.
//
// Thread contract: pure functions. Errors: none; units that would read more than
// most_shared_bytes() get no lines, and one warning counts them.
#pragma once

#include <vector>

#include "engine/dwarf/dwarf_sections.h"
#include "engine/dwarf/unit_records.h"

namespace gprof::dwarf {

void bound_line_tables(std::vector<UnitRecord>& records, const DwarfSections& sections,
                       Warnings& warnings);

}  // namespace gprof::dwarf
