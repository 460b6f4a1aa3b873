// gprof/hotSpots: the functions that cost most, by any metric.
//
// Thread contract: pure, but for reading the functions' files through `places`.
#pragma once

#include "server/features/function_places.h"
#include "server/protocol/extension_answers.h"
#include "server/protocol/settings.h"

namespace gprof::lsp {

struct HotSpotsQuery {
  Metric metric = Metric::self;
  std::string_view letters;  // of the name, in this order, whatever their case
  std::size_t limit = 0;
  bool by_regression = false;
};

// Hottest first; functions that cost nothing by the metric are left out. Executions of lines say
// nothing of functions: then they are ranked by calls. A clone is part of its function. By
// regression: in the order of the comparison with the base, behind them what is not compared;
// without a base, as else.
[[nodiscard]] std::vector<HotSpot> hot_spots(const HotSpotsQuery& query, FunctionPlaces& places,
                                             bool demangle);

}  // namespace gprof::lsp
