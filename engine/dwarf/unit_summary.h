// What the unit DIE says about its unit.
#pragma once

#include <optional>

#include "engine/dwarf/code_filter.h"
#include "engine/dwarf/debug_information.h"
#include "engine/dwarf/form_values.h"

namespace gprof::dwarf {

struct UnitSummary {
  Unit unit;
  UnitBases bases;
  std::optional<std::uint64_t> line_offset;  // in .debug_line
  std::optional<std::uint64_t> split_id;
  bool is_partial = false;  // shared pieces made by dwz: not a unit of its own
};

// `inherited` are the skeleton's bases if the unit is a split one. Leaves out ranges that `code`
// rejects. `values` has the unit's bases afterwards. Errors: corrupt. Thread contract: one thread.
[[nodiscard]] Expected<UnitSummary> read_unit_summary(FormValues& values, const CodeFilter& code,
                                                      const UnitBases* inherited = nullptr);

}  // namespace gprof::dwarf
