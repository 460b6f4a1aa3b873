// gprof/lineData: the figures of a document's lines and their texts, for editors that draw them
// themselves.
//
// Thread contract: pure, except for reading the callees' files through `locations`.
#pragma once

#include <cstddef>
#include <optional>

#include "server/features/function_locations.h"
#include "server/features/line_text.h"
#include "server/features/metric_values.h"
#include "server/protocol/extension_answers.h"

namespace gprof::lsp {

struct LineDataQuery {
  std::optional<Range> range;             // none: the whole text
  std::optional<std::size_t> hottest;     // only this many, and none without heat; nullopt: all
  LineTextOptions texts;                  // whose metric is that of the heat as well
  const MetricColumns* values = nullptr;  // by which lines have values; may be null
};

// Lines of the text that the range touches, ascending. A changed line is listed without figures if
// its original had code. In a stale file nothing is known about any line.
[[nodiscard]] LineDataResult line_data(const FileView& view, const LineDataQuery& query,
                                       FunctionLocations& locations);

}  // namespace gprof::lsp
