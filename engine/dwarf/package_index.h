// The index of a .dwp package: which bytes of its sections belong to which split unit (DWARF 5,
// section 7.3.5; version 2 is the GNU extension of DWARF 4).
//
// Thread contract: immutable data, any thread. Errors: corrupt, unsupported, not_found (the package
// has no unit with that id).
#pragma once

#include <cstdint>

#include "engine/dwarf/dwarf_sections.h"
#include "engine/support/expected.h"

namespace gprof::dwarf {

// `package` with each section cut to the share of the unit `split_id`; strings stay whole.
// `index` is the bytes of .debug_cu_index.
[[nodiscard]] Expected<DwarfSections> package_share(const DwarfSections& package, Bytes index,
                                                    std::uint64_t split_id);

}  // namespace gprof::dwarf
