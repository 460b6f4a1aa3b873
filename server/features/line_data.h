// gprof/lineData: every figure of the lines of a document, for editors that draw them themselves.
//
// Thread contract: pure, but for reading the callees' files through `places`.
#pragma once

#include <cstddef>
#include <optional>

#include "server/features/function_places.h"
#include "server/features/line_metrics.h"
#include "server/protocol/extension_answers.h"

namespace gprof::lsp {

struct LineDataQuery {
  std::optional<Range> range;          // none: the whole text
  std::optional<std::size_t> hottest;  // only so many, and none without heat; none: all
  Metric metric = Metric::self;        // of the heat
};

// Lines of the text that the range touches, ascending. A line whose text was changed is listed
// where code was made of what stood there, without figures. In a stale file nothing is known of any
// line.
[[nodiscard]] LineDataResult line_data(const FileView& view, const LineDataQuery& query,
                                       FunctionPlaces& places);

}  // namespace gprof::lsp
