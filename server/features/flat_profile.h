// gprof/flatProfile: gprof's flat profile in numbers, with nothing rounded.
//
// Thread contract: pure, except for reading the functions' files through `locations`.
#pragma once

#include <cstddef>

#include "server/features/function_locations.h"
#include "server/features/metric_values.h"
#include "server/protocol/extension_answers.h"

namespace gprof::lsp {

// Rows in gprof's order: by self time, then calls, then linkage name. At most `limit` of them,
// starting at row `offset`; the cumulative time includes the rows before. Leaves the program's name
// and the generation empty. `values`: by which rows have values; may be null.
[[nodiscard]] FlatProfileResult flat_profile(FunctionLocations& locations, std::size_t offset,
                                             std::size_t limit, bool demangle,
                                             const MetricColumns* values = nullptr);

}  // namespace gprof::lsp
