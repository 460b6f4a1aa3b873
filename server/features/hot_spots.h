// gprof/hotSpots: the functions that cost most, by any metric.
//
// Thread contract: pure, except for reading the functions' files through `locations`.
#pragma once

#include "server/features/function_locations.h"
#include "server/protocol/extension_answers.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

struct HotSpotsQuery {
  Metric metric = Metric::time;
  std::string_view letters;  // contained in the name in this order, ignoring case
  std::size_t limit = 0;
  bool by_regression = false;
};

// Hottest first; functions that cost nothing by the metric are left out. Line executions do not
// apply to functions, which are then ranked by calls. A clone is part of its function. By
// regression: in the order of the comparison with the base, then those not compared; without a
// base, as usual.
[[nodiscard]] std::vector<HotSpot> hot_spots(const HotSpotsQuery& query,
                                             FunctionLocations& locations, bool demangle);

}  // namespace gprof::lsp
