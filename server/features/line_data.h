// gprof/lineData: every figure of the lines of a document, for editors that draw them themselves.
//
// Thread contract: pure, but for reading the callees' files through `places`.
#pragma once

#include <optional>

#include "server/features/function_places.h"
#include "server/features/line_metrics.h"
#include "server/protocol/extension_answers.h"

namespace gprof::lsp {

// Lines of the text that the range touches. A line whose text was changed is listed where code was
// made of what stood there, without figures. In a stale file nothing is known of any line.
[[nodiscard]] LineDataResult line_data(const FileView& view, const std::optional<Range>& range,
                                       Metric metric, FunctionPlaces& places);

}  // namespace gprof::lsp
