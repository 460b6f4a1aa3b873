// gprof/hotSpots: the functions that cost most, by any metric.
//
// Thread contract: pure, except for reading the functions' files through `locations`.
#pragma once

#include "server/features/function_locations.h"
#include "server/features/metric_values.h"
#include "server/protocol/extension_answers.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

struct HotSpotsQuery {
  ShownMetric metric = ShownMetric::time;
  std::string_view letters;  // contained in the name in this order, ignoring case
  std::size_t limit = 0;
  bool by_regression = false;
  const MetricColumns* values = nullptr;  // by which spots have values; may be null
};

// Hottest first, by the derived metric that the program is shown by, if there is one; functions
// that cost nothing by the metric are left out. Line executions do not apply to functions, which
// are then ranked by calls. A clone is part of its function. By the metrics of time, functions of
// libraries are among them, and a library's code of no known function. By regression: in the order
// of the comparison with the base, then those not compared; without a base, as usual.
[[nodiscard]] std::vector<HotSpot> hot_spots(const HotSpotsQuery& query,
                                             FunctionLocations& locations, bool demangle);

}  // namespace gprof::lsp
