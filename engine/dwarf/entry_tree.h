// Builds a unit's DieTree with an DieReader: the same as libdwarf's (read_die_tree()), in a
// fraction of the time. For reports by line, which read every unit of a program.
//
// Thread contract: one thread. Errors: corrupt.
#pragma once

#include "engine/dwarf/code_filter.h"
#include "engine/dwarf/die_reader.h"
#include "engine/dwarf/die_tree.h"
#include "engine/dwarf/form_values.h"

namespace gprof::dwarf {

// `entries` is at the beginning. Leaves out ranges that `code` rejects. The caller fills in `files`
// and `owners`.
[[nodiscard]] Expected<DieTree> read_entry_tree(DieReader& entries, FormValues& values,
                                                const CodeFilter& code, Language language);

}  // namespace gprof::dwarf
