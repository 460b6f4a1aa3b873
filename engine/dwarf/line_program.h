// Line number programs: instructions to rows (DWARF 5, section 6.2.5).
//
// Run here, not by libdwarf, whose 2021 version gets rows wrong in two ways that its callers cannot
// undo: DWARF 5 programs start with file 0 where the standard says 1, and a row that begins an
// epilogue ends its sequence. (It is also slow: about a million rows per second.)
//
// Thread contract: any thread. Errors: corrupt, naming the byte of the program; unsupported if it
// makes more rows than CodeFilter::most_rows().
#pragma once

#include <vector>

#include "engine/dwarf/code_filter.h"
#include "engine/dwarf/debug_information.h"
#include "engine/dwarf/line_header.h"

namespace gprof::dwarf {

// Rows in program order. Leaves out sequences that start outside the program's code and an
// unterminated one. `files` gives the number of each file of the line table.
[[nodiscard]] Expected<std::vector<LineRow>> run_line_program(const LineHeader& header,
                                                              const std::vector<FileId>& files,
                                                              const DwarfSections& sections,
                                                              const CodeFilter& code);

}  // namespace gprof::dwarf
